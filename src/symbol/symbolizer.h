// Symbolizer: names for addresses of any module of a program.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "symbol/module_symbols.h"
#include "symbol/names.h"

namespace ravel {

/// Opens a module at the first question about it, and once. A module that cannot be used gives one note and
/// no names. One thread at a time; what it returns by reference lives as long as it does.
class Symbolizer {
 public:
  /// As ModuleSymbols's functions of the same names, for the file at `path` if it still has `build_id`
  /// (empty: any).
  const std::vector<SourceFrame>& frames(const std::string& path, const std::string& build_id,
                                         std::uint64_t address);
  std::optional<DataObject> data(const std::string& path, const std::string& build_id, std::uint64_t address);
  const ClassLayout* layout(const std::string& path, const std::string& build_id, const std::string& type);
  std::optional<std::string> data_in_type(const std::string& path, const std::string& build_id,
                                          const std::string& type, std::uint64_t offset);

  /// Null: it cannot be used, and a note says why.
  ModuleSymbols* module(const std::string& path, const std::string& build_id);

  /// What the user should know: modules without names, one line each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  boost::unordered_flat_map<std::string, std::shared_ptr<ModuleSymbols>> modules_;  ///< by path and build id
  std::vector<std::string> notes_;
};

}  // namespace ravel

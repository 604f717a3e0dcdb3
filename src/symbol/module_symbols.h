// ModuleSymbols: names for the addresses of one executable or shared library.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "event/result.h"
#include "symbol/names.h"

namespace ravel {

/// Reads what a question needs when it is first asked, and keeps it. Addresses are the file's own, as linked.
/// Debug information (of g++ and clang, also in a separate file) is asked first, then the symbol table.
/// Nothing in a damaged file can do more than leave names out. One thread at a time.
class ModuleSymbols {
 public:
  /// `expected_build_id`: of the file that ran, in hexadecimal digits; empty: any will do. An error if the
  /// file cannot be read or is another one by now.
  static Result<std::shared_ptr<ModuleSymbols>> open(const std::string& path,
                                                     const std::string& expected_build_id);

  ~ModuleSymbols();
  ModuleSymbols(const ModuleSymbols&) = delete;
  ModuleSymbols& operator=(const ModuleSymbols&) = delete;

  const std::string& build_id() const;
  /// Whether the file, loaded, has memory at `address`.
  bool contains(std::uint64_t address) const;

  /// The functions at `address`, which is within the call rather than behind it: innermost inlined first,
  /// the real function last. Empty: unknown. Lives as long as the module.
  const std::vector<SourceFrame>& frames(std::uint64_t address);

  /// The global or static variable that `address` is in.
  std::optional<DataObject> data(std::uint64_t address);

  /// The class of that qualified name; null: not defined in this file. Lives as long as the module.
  const ClassLayout* layout(const std::string& type);

  /// What lies at `offset` of a block of memory that holds one or more objects of `type`: "limits[3].soft",
  /// "[2].next" beyond the first object. Nothing: the type is unknown; empty: nothing has a name there.
  std::optional<std::string> data_in_type(const std::string& type, std::uint64_t offset);

 private:
  struct State;
  explicit ModuleSymbols(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ravel

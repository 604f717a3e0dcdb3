// SymbolTable: the ELF symbols of a file by address; what is left in a stripped file or one without debug
// information.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbol/elf_file.h"

namespace ravel {

class SymbolTable {
 public:
  struct Symbol {
    std::uint64_t begin = 0, end = 0;
    std::string_view name;  ///< lives as long as the file
  };

  explicit SymbolTable(const ElfFile& file);

  /// The function or variable that `address` is in; null: none.
  const Symbol* function(std::uint64_t address) const { return find(functions_, address); }
  const Symbol* data(std::uint64_t address) const { return find(data_, address); }

 private:
  static const Symbol* find(const std::vector<Symbol>& symbols, std::uint64_t address);

  std::vector<Symbol> functions_;  ///< one for each address where one begins, in order
  std::vector<Symbol> data_;
};

}  // namespace ravel

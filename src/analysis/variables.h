// Variables: what the resolver made of memory. A variable is one or more bytes of one aligned 8-byte word
// that have always been accessed together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "event/ids.h"
#include "trace/large_memory.h"
#include "trace/tables.h"

namespace ravel {

/// Table of all variables by VariableId. Filled by the resolver, read by everyone else.
class Variables {
 public:
  struct Row {
    std::uint64_t word = 0;  ///< address of the aligned word
    std::uint8_t bytes = 0;  ///< mask of its bytes
  };

  std::size_t size() const { return rows_.size(); }
  const Row& operator[](VariableId id) const { return rows_[id.index()]; }
  /// Address of the variable's first byte.
  std::uint64_t address(VariableId id) const;
  std::string name(VariableId id, const Tables& tables) const;

 private:
  friend class Resolver;
  std::vector<Row, LargeAllocator<Row>> rows_;
};

}  // namespace ravel

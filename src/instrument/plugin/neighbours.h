// Neighbours: accesses in a row of hooks that lie in the same eight bytes of memory, so that one glance at
// the shadow may decide about all of them.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>

#include <cstdint>
#include <optional>

#include "instrument/plugin/hook.h"

namespace ravel::instrument {

/// A hook as a neighbour of others.
struct Access {
  llvm::CallInst* call;
  Hook hook;
};

/// Where in its cell the access begins, if that is known here.
std::optional<unsigned> first_byte(llvm::CallInst& call, const llvm::DataLayout& layout);

/// Accesses whose bytes are looked at together.
struct Neighbours {
  llvm::SmallVector<unsigned> members;  ///< their numbers, in order: the first one's hook looks
  bool writes = false;                  ///< looks at the slot of writes; that of a read says nothing more
  std::int64_t offset = 0;              ///< of the first byte, from the address of the first member
  std::uint64_t bytes = 0;              ///< a bit each, from that byte on
  bool in_one_cell = false;             ///< for certain
  std::optional<unsigned> first;        ///< where in its cell the first byte is, if that is known
};

/// The neighbours among accesses that follow each other in one block, with nothing in between that could be a
/// new time for their thread. Nobody is in two of the groups.
llvm::SmallVector<Neighbours> find_neighbours(llvm::ArrayRef<Access> row, const llvm::DataLayout& layout);

}  // namespace ravel::instrument

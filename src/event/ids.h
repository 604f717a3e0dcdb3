// Strong ids: a ThreadId is not a LockId, and neither is an int.
//
// All ids are dense (0, 1, 2, ...) so that per-id state is a vector.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ravel {

template <typename Tag>
struct Id {
  std::uint32_t value = kNone;

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}

  constexpr bool valid() const { return value != kNone; }
  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
  friend constexpr std::size_t hash_value(Id id) { return id.value; }  // found by Boost's containers
};

using ThreadId = Id<struct ThreadTag>;
using VariableId = Id<struct VariableTag>;  ///< a memory location, as the resolver split memory
using LockId = Id<struct LockTag>;  ///< a lock, condition or barrier: one object that threads synchronize on
using UnitId = Id<struct UnitTag>;  ///< label of a unit of work (atomic block) or of a function
using PlaceId = Id<struct PlaceTag>;      ///< where in the program or trace
using LocksetId = Id<struct LocksetTag>;  ///< an interned set of held locks
using StackId = Id<struct StackTag>;      ///< an interned call stack: its innermost call
using ModuleId = Id<struct ModuleTag>;    ///< an executable file or library of a recorded program

}  // namespace ravel

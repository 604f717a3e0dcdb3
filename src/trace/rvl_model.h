// What encoder and decoder of an events block both expect of the next event (docs/trace-format.md).
//
// A thread tends to go from one place to the same next place; a place tends to access memory near what it
// accessed last, with the same width and memory order. So the place is predicted from the thread's last
// place, and the rest from the place. Tables are small and direct-mapped: two contexts that share an entry
// cost bytes, never correctness.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "event/event.h"

namespace ravel::rvl {

// An op byte: the kind, and two flags.
inline constexpr unsigned kKindMask = 0x3f;
inline constexpr unsigned kThreadChanges = 0x40;
inline constexpr unsigned kHasExtras = 0x80;
static_assert(kEventKindCount <= 64, "an op byte has six bits for the kind");

// A control byte: how the target and the place are written.
inline constexpr unsigned kTargetLengthMask = 7;  ///< index to kTargetLengths
inline constexpr unsigned kShiftAt = 3;           ///< index to kShifts, two bits
inline constexpr unsigned kBaseIsContext =
    0x20;                                ///< the difference is to the context's last target, not the thread's
inline constexpr unsigned kPlaceAt = 6;  ///< index to kPlaceLengths, two bits; 0: as predicted

inline constexpr std::array<std::uint8_t, 8> kTargetLengths = {0, 1, 2, 3, 4, 5, 6, 8};
inline constexpr std::array<std::uint8_t, 4> kShifts = {0, 2, 3, 4};
inline constexpr std::array<std::uint8_t, 4> kPlaceLengths = {0, 1, 2, 4};

// An extras byte.
inline constexpr unsigned kExtraHasValue = 1;
inline constexpr unsigned kExtraValue = 2;  ///< a value other than 0 follows as varint
inline constexpr unsigned kExtraOrderAt = 2;
inline constexpr unsigned kExtraWidthAt = 5;  ///< index to kWidths; kWidthFollows: as varint
inline constexpr std::array<std::uint32_t, 6> kWidths = {0, 1, 2, 4, 8, 16};
inline constexpr unsigned kWidthFollows = 6;

inline constexpr unsigned kOrderCount = static_cast<unsigned>(MemoryOrder::SeqCst) + 1;

// The numbers at the head of a payload, each four bytes.
struct PayloadHead {
  std::uint32_t threads, changes, places, targets, extras;
};
inline constexpr std::size_t kPayloadHeadBytes = sizeof(PayloadHead);
static_assert(kPayloadHeadBytes == 20);

/// With so many threads a slot takes two bytes.
inline constexpr std::uint32_t kSmallThreads = 256;

/// Width and memory order together, so that one comparison and one table entry do for both.
using Shape = std::uint64_t;
constexpr Shape shape_of(std::uint32_t width, MemoryOrder order) {
  return std::uint64_t{width} | std::uint64_t{static_cast<std::uint8_t>(order)} << 32;
}
inline constexpr Shape kNoShape = ~std::uint64_t{0};

struct Context {
  std::uint64_t target = 0;
  Shape shape = kNoShape;
};

struct ThreadModel {
  ThreadId id;
  std::uint32_t place = 0;  ///< of its last event; here and below PlaceId + 1, so that 0 is "unknown"
  std::array<std::uint64_t, 8> targets{};  ///< last target, by TargetSpace
};

struct Model {
  static constexpr unsigned kTableBits = 11;

  std::array<std::uint32_t, 1 << kTableBits> next_place;  ///< by the thread's last place and the kind
  std::array<Context, 1 << kTableBits> contexts;          ///< by place and kind
  std::array<Shape, 64> kind_shapes;  ///< of the last event of a kind, for contexts not seen yet
  std::vector<ThreadModel> threads;   ///< by slot

  void reset(std::size_t thread_count) {
    next_place.fill(0);
    contexts.fill({});
    kind_shapes.fill(0);
    threads.assign(thread_count, {});
  }

  static unsigned slot(std::uint32_t place, unsigned kind) {
    return ((place * 64 + kind) * 0x9e3779b1U) >> (32 - kTableBits);
  }
};

}  // namespace ravel::rvl

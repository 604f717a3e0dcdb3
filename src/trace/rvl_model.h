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

// An extras byte: two flags, and the event's shape.
inline constexpr unsigned kExtraHasValue = 1;
inline constexpr unsigned kExtraValue = 2;  ///< a value other than 0 follows as varint
inline constexpr unsigned kExtraShapeAt = 2;

/// Width and memory order in six bits: index to kWidths, and the order above it.
using Shape = std::uint8_t;
inline constexpr unsigned kWidthMask = 7;
inline constexpr unsigned kShapeOrderAt = 3;
inline constexpr std::array<std::uint32_t, 6> kWidths = {0, 1, 2, 4, 8, 16};
inline constexpr unsigned kWidthFollows = 6;  ///< any other width: a varint in the extras, never predicted
inline constexpr Shape kNoShape = 0xff;       ///< of a context not seen yet

inline constexpr unsigned kOrderCount = static_cast<unsigned>(MemoryOrder::SeqCst) + 1;

// The numbers at the head of a payload, each four bytes.
struct PayloadHead {
  std::uint32_t threads, changes, places, targets, extras, ordinals, stacks;
};
inline constexpr std::size_t kPayloadHeadBytes = sizeof(PayloadHead);
static_assert(kPayloadHeadBytes == 28);

/// With so many threads a slot takes two bytes.
inline constexpr std::uint32_t kSmallThreads = 256;

/// What surrounds the next event of a thread, as far as it is like the last one. Retroactive accesses follow
/// each other rather than what their thread does now: they share one of these.
struct Surroundings {
  std::uint32_t ordinal = 0;
  std::uint32_t stack = 0;  ///< StackId + 1, so that 0 is "unknown"
};

struct ThreadModel {
  ThreadId id;
  std::uint32_t place = 0;    ///< of its last event; here and below PlaceId + 1, so that 0 is "unknown"
  Surroundings surroundings;  ///< as the encoder has them; the decoder's are beside its events
  std::array<std::uint64_t, 8> targets{};  ///< last target, by TargetSpace
};

struct Model {
  static constexpr unsigned kEntries = 2048;

  std::array<std::uint32_t, kEntries> next_places;  ///< by the thread's last place and the kind
  std::array<std::uint64_t, kEntries> targets;      ///< last target, by place and kind: a context
  std::array<Shape, kEntries> shapes;               ///< the same for the last shape
  std::array<Shape, 64> kind_shapes;  ///< by kind: last shape that was written down, for new contexts
  std::vector<ThreadModel> threads;   ///< by slot

  void reset(std::size_t thread_count) {
    next_places.fill(0);
    targets.fill(0);
    shapes.fill(kNoShape);
    kind_shapes.fill(0);
    threads.assign(thread_count, {});
  }

  /// PlaceIds are dense and most places have one kind, so this is nearly free of collisions and cheaper than
  /// a hash.
  static unsigned entry(std::uint32_t place, unsigned kind) { return (place ^ kind << 5) % kEntries; }
};

}  // namespace ravel::rvl

#include "trace/rvl_contexts.h"

#include <algorithm>
#include <limits>

namespace ravel::rvl {

bool ContextDecoder::decode(ByteSpan ordinals, ByteSpan stacks, std::span<Event> events) {
  if (ordinals.empty() && stacks.empty()) return true;
  std::size_t threads = 0;
  for (const Event& event : events) threads = std::max(threads, event.thread.index() + 1);
  threads_.assign(threads, {});
  retro_ = {};
  ByteCursor ordinal_cursor(ordinals);
  ByteCursor stack_cursor(stacks);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t wide = 0;  // numbers that are too large leave bits in here
  const auto difference = [&wide](ByteCursor& cursor) {
    const std::uint64_t coded = cursor.varint();
    wide |= coded & ~kMax;
    return unzigzag(static_cast<std::uint32_t>(coded));
  };
  const auto next_change = [&](std::uint64_t from) {
    return stack_cursor.left() == 0 ? kMax : from + std::min(stack_cursor.varint(), kMax);
  };
  std::uint64_t change = next_change(0);
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& event = events[i];
    Surroundings& expected = kRetroAccesses.has(event.kind) ? retro_ : threads_[event.thread.index()];
    if (!ordinals.empty()) event.ordinal = expected.ordinal += difference(ordinal_cursor);
    if (i == change) {
      expected.stack += difference(stack_cursor);
      change = next_change(i + 1);
    }
    event.stack = StackId(expected.stack - 1);
  }
  return wide == 0 && ordinal_cursor.ok() && ordinal_cursor.left() == 0 && stack_cursor.ok() &&
         stack_cursor.left() == 0 && change >= kMax;
}

}  // namespace ravel::rvl

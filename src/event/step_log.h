// The steps of a run of one thread at a time, as the runtime leaves them in a file beside its stream
// (NAME.rvl has NAME.steps): who was chosen, for what. Written in place through a shared mapping, so that a
// program that dies loses none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ravel::step_log {

inline constexpr std::uint64_t kMagic = 0x0a1a'0a0d'5453'5652;  ///< "RVST\r\n\x1a\n"
inline constexpr std::size_t kHeadBytes = 4096;

struct Head {
  std::uint64_t magic;
  std::atomic<std::uint64_t> count;  ///< entries; the last one's `times` may still grow
};
static_assert(sizeof(Head) <= kHeadBytes);

/// The thread has taken so many steps of this kind, one after the other.
struct Entry {
  std::uint32_t thread_and_kind;  ///< thread << 8 | OperationKind; the thread is its index in the stream
  std::atomic<std::uint32_t> times;
};
static_assert(sizeof(Entry) == 8);

}  // namespace ravel::step_log

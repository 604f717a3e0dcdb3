// Bias: as long as one thread alone uses the cells of a region of memory, it changes them without atomic
// operations, which would wait for all that the program has written before. Another thread that comes revokes
// that first: it makes the system call membarrier, so that the owner, whose order of a store and a load
// nothing else guarantees, either has seen it or is seen to be at work in the region. From then on everybody
// locks cells. A thread that goes on to be the only one may become the owner again.
//
// A region's word: 0 nobody has come yet; else its owner; or that it is being changed; or that it is shared,
// with who used it last; and in all cases how often threads have taken turns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/platform.h"
#include "runtime/shadow.h"
#include "runtime/thread.h"

namespace ravel::rt {

inline constexpr unsigned kRegionBits = 16;
inline constexpr std::size_t kRegionBytes = std::size_t{1} << kRegionBits;

using Bias = std::uint32_t;
inline constexpr Bias kSharedRegion = Bias{1} << 31;
inline constexpr Bias kChangingRegion = Bias{1} << 30;

/// The regions' words, behind the shadow.
inline constexpr std::uintptr_t kBiasesAt = 0x5000'1000'0000;
RAVEL_INLINE Bias& bias_of(std::uintptr_t address) {
  return reinterpret_cast<Bias*>(kBiasesAt)[(address & kAddressMask) >> kRegionBits];
}
RAVEL_INLINE std::size_t number_of(const Bias& bias) { return &bias - reinterpret_cast<Bias*>(kBiasesAt); }
// The lowest bits are a thread: its index + 1.
inline constexpr unsigned kTurnsAt = 17;
inline constexpr Bias kThreadMask = (Bias{1} << kTurnsAt) - 1;
inline constexpr Bias kStateMask = kSharedRegion | kChangingRegion;
/// How often threads have taken turns. After so many, nobody counts any more.
inline constexpr Bias kMaxTurns = 255;
RAVEL_INLINE Bias turns_of(Bias bias) { return (bias & ~kStateMask) >> kTurnsAt; }
RAVEL_INLINE Bias with_turns(Bias turns) { return (turns < kMaxTurns ? turns : kMaxTurns) << kTurnsAt; }

/// The thread is at work on cells: it looks at a region's word, and changes cells of it. It says so by an odd
/// number, which is another one for each hook.
class Working {
 public:
  explicit RAVEL_INLINE Working(Thread& self) : self_(self) {
    set(2 * self.ordinal + 1);
    asm volatile("" ::: "memory");
  }
  RAVEL_INLINE ~Working() {
    asm volatile("" ::: "memory");
    set(0);
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  RAVEL_INLINE void set(std::uint32_t number) { __atomic_store_n(self_.work, number, __ATOMIC_RELEASE); }

  Thread& self_;
};

/// Signals must wait, as they must for a thread that is Inside: handlers change cells, too.
RAVEL_INLINE bool is_at_work(const Thread& self) { return *self.work % 2 != 0; }

enum class Region : std::uint8_t { Own, Shared, Undecided };
RAVEL_INLINE bool is_own_region(const Thread& self, Bias now) {
  return (now & (kStateMask | kThreadMask)) == self.index + 1;
}
/// Nobody counts any more who uses it.
RAVEL_INLINE bool is_shared_for_good(Bias now) {
  return (now & kSharedRegion) != 0 && turns_of(now) == kMaxTurns;
}
/// The thread is at work: whose region is it?
RAVEL_INLINE Region region_of(const Thread& self, const Bias& bias) {
  const Bias now = __atomic_load_n(&bias, __ATOMIC_ACQUIRE);
  if (is_own_region(self, now)) return Region::Own;
  return (now & kSharedRegion) != 0 ? Region::Shared : Region::Undecided;
}

/// The thread is not at work: makes the region its own, if it is nobody's, or shared.
RAVEL_NOINLINE void settle_region(Thread& self, Bias& bias);
/// The thread uses a region that is shared. If nobody else has for long, it becomes its owner.
RAVEL_INLINE void count_use(Thread& self, Bias& bias);

/// So many uses of a shared region by one thread make it the owner: changing the bias costs as much as some
/// hundred atomic operations.
inline constexpr std::uint32_t kManyUses = 2048;

RAVEL_NOINLINE void take_turn(Thread& self, Bias& bias, Bias now);
RAVEL_NOINLINE void own_region(Thread& self, Bias& bias, Bias now);

RAVEL_INLINE void count_use(Thread& self, Bias& bias) {
  const Bias now = __atomic_load_n(&bias, __ATOMIC_RELAXED);
  if (turns_of(now) == kMaxTurns) return;
  Thread::Use& use = self.uses[number_of(bias) % Thread::kUses];
  if ((now & kThreadMask) != self.index + 1 || use.region != &bias) return take_turn(self, bias, now);
  if (++use.count == kManyUses) own_region(self, bias, now);
}

/// Where a thread says that it is at work.
std::uint32_t* work_of(std::uint32_t thread_index);
/// The memory is new: its regions are nobody's. Who is at work there still, or changes a word there, uses
/// what was freed.
void forget_biases(std::uintptr_t address, std::size_t bytes);
bool map_biases();
/// In a new stream.
void forget_biases();

}  // namespace ravel::rt

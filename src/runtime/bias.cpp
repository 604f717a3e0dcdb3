#include "runtime/bias.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>

#include "runtime/recorder.h"

namespace ravel::rt {

namespace {

// With one more behind the last, which nobody uses.
constexpr std::size_t kBiasBytes = (((kAddressMask + 1) >> kRegionBits) + 1) * sizeof(Bias);
// Each in a cache line of its own.
constexpr std::size_t kWorkStride = 64;
constexpr std::size_t kWorkBytes = stream::kMaxThreads * kWorkStride;
constinit char* works = nullptr;
constinit bool are_mapped = false;
constinit bool can_revoke = false;

static_assert(stream::kMaxThreads < kThreadMask);

/// An owner that is revoked has cost so much.
constexpr Bias kTurnsOfOwner = 16;

void barrier_everywhere() { system_call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

/// The memory before or behind it is used, too: then most of this will be.
bool is_amid_used_memory(const Bias& bias) {
  return number_of(bias) > 0 && (__atomic_load_n(&bias - 1, __ATOMIC_RELAXED) != 0 ||
                                 __atomic_load_n(&bias + 1, __ATOMIC_RELAXED) != 0);
}

void wait_for(std::uint32_t thread_index) {
  const std::uint32_t* const work = work_of(thread_index);
  const std::uint32_t seen = __atomic_load_n(work, __ATOMIC_ACQUIRE);
  if (seen % 2 == 0) return;
  for (int i = 0; __atomic_load_n(work, __ATOMIC_ACQUIRE) == seen; ++i) pause_or_yield(i);
}

}  // namespace

std::uint32_t* work_of(std::uint32_t thread_index) {
  return reinterpret_cast<std::uint32_t*>(works + std::size_t{thread_index} * kWorkStride);
}

void settle_region(Thread& self, Bias& bias) {
  Bias now = __atomic_load_n(&bias, __ATOMIC_ACQUIRE);
  if ((now & kChangingRegion) != 0) return yield_processor();
  if ((now & kSharedRegion) != 0 || (now & kThreadMask) == self.index + 1) return;
  if (now == 0) {
    const Bias first = can_revoke ? self.index + 1 : kSharedRegion | with_turns(kMaxTurns);
    const bool taken =
        __atomic_compare_exchange_n(&bias, &now, first, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (taken && is_amid_used_memory(bias))
      make_pages(std::uintptr_t{number_of(bias)} << kRegionBits, kRegionBytes);
    return;
  }
  if (!__atomic_compare_exchange_n(&bias, &now, now | kChangingRegion, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_RELAXED))
    return;
  barrier_everywhere();
  wait_for((now & kThreadMask) - 1);
  const Bias turns = with_turns(turns_of(now) + kTurnsOfOwner);
  __atomic_store_n(&bias, kSharedRegion | turns | (self.index + 1), __ATOMIC_RELEASE);
}

void take_turn(Thread& self, Bias& bias, Bias now) {
  self.uses[number_of(bias) % Thread::kUses] = {&bias, 0};
  if ((now & kStateMask) != kSharedRegion) return;
  const Bias next = kSharedRegion | with_turns(turns_of(now) + 1) | (self.index + 1);
  __atomic_compare_exchange_n(&bias, &now, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void own_region(Thread& self, Bias& bias, Bias now) {
  self.uses[number_of(bias) % Thread::kUses] = {};
  if (!can_revoke || (now & kStateMask) != kSharedRegion ||
      !__atomic_compare_exchange_n(&bias, &now, now | kChangingRegion, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_RELAXED))
    return;
  // Who looks at the word from now on waits; who has looked before is at work, and so is the thread itself:
  // it must not wait, others may do the same in another region.
  barrier_everywhere();
  const std::uint32_t threads = recorder.stream.head().thread_count.load(std::memory_order_acquire);
  bool alone = true;
  for (std::uint32_t i = 0; i < threads && alone; ++i)
    alone = i == self.index || __atomic_load_n(work_of(i), __ATOMIC_ACQUIRE) % 2 == 0;
  __atomic_store_n(&bias, alone ? now & ~kSharedRegion : now, __ATOMIC_RELEASE);
}

void forget_biases(std::uintptr_t address, std::size_t bytes) {
  if (bytes < kRegionBytes || !are_mapped) return;
  const std::uintptr_t last = (address + bytes) >> kRegionBits;
  for (std::uintptr_t region = (address + kRegionBytes - 1) >> kRegionBits; region < last; ++region) {
    Bias& bias = bias_of(region << kRegionBits);
    if (__atomic_load_n(&bias, __ATOMIC_RELAXED) != 0) __atomic_store_n(&bias, 0, __ATOMIC_RELAXED);
  }
}

bool map_biases() {
  are_mapped = reserve_memory_at(kBiasesAt, kBiasBytes);
  works = static_cast<char*>(reserve_memory(kWorkBytes));
  can_revoke = !is_error(system_call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED));
  return are_mapped && works != nullptr;
}

void forget_biases() {
  forget_memory(kBiasesAt, kBiasBytes);
  forget_memory(reinterpret_cast<std::uintptr_t>(works), kWorkBytes);
}

}  // namespace ravel::rt

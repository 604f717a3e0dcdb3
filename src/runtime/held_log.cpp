#include "runtime/held_log.h"

#include "runtime/order.h"

namespace ravel::rt {
namespace {

struct HeldLog {
  struct Entry {
    ClockTime time;           ///< 0: it is being changed
    std::uint64_t outermost;  ///< their names
    std::uint64_t innermost;
  };
  static constexpr std::size_t kTimes = 4096;
  Entry at[kTimes];  ///< a time's is where it modulo kTimes says
};

constinit HeldLog* logs[kMaxClocks] = {};  ///< null: none yet

}  // namespace

void log_held(std::uint32_t clock, ClockTime time, const SyncLock& outermost, const SyncLock& innermost) {
  HeldLog*& log = logs[clock];
  if (log == nullptr)
    __atomic_store_n(&log, static_cast<HeldLog*>(take_sync_memory(sizeof(HeldLog))), __ATOMIC_RELEASE);
  if (log == nullptr) return;
  HeldLog::Entry& entry = log->at[time % HeldLog::kTimes];
  __atomic_store_n(&entry.time, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&entry.outermost, outermost.name, __ATOMIC_RELEASE);
  __atomic_store_n(&entry.innermost, innermost.name, __ATOMIC_RELEASE);
  __atomic_store_n(&entry.time, time, __ATOMIC_RELEASE);
}

bool has_held(std::uint32_t clock, ClockTime time, const SyncLock& lock) {
  const HeldLog* const log = __atomic_load_n(&logs[clock], __ATOMIC_ACQUIRE);
  if (log == nullptr) return false;
  const HeldLog::Entry& entry = log->at[time % HeldLog::kTimes];
  if (__atomic_load_n(&entry.time, __ATOMIC_ACQUIRE) != time) return false;
  const bool held = __atomic_load_n(&entry.outermost, __ATOMIC_ACQUIRE) == lock.name ||
                    __atomic_load_n(&entry.innermost, __ATOMIC_ACQUIRE) == lock.name;
  return held && __atomic_load_n(&entry.time, __ATOMIC_RELAXED) == time;
}

void forget_held() {
  for (HeldLog*& log : logs) log = nullptr;
}

}  // namespace ravel::rt

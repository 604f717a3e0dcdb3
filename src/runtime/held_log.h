// What the owners of entries in clocks held at their latest times: of the locks of a time that they held
// exclusively, the outermost and the innermost one. Others look there while the owner goes on.
#pragma once

#include <cstdint>

#include "runtime/sync_objects.h"

namespace ravel::rt {

/// The entry's owner holds these locks at this time, which is the latest.
void log_held(std::uint32_t clock, ClockTime time, const SyncLock& outermost, const SyncLock& innermost);
/// Whether the owner of an entry is known to have held the lock exclusively at that time.
bool has_held(std::uint32_t clock, ClockTime time, const SyncLock& lock);
/// In a new stream.
void forget_held();

}  // namespace ravel::rt

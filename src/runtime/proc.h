// What the kernel says of this process and its threads, in /proc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ravel::rt {

/// Whether a thread sleeps in the kernel.
bool is_asleep(std::uint32_t kernel_thread);
/// Whether it has not ended. (The first one stays, ended, as long as the process.)
bool thread_exists(std::uint32_t kernel_thread);
/// Whether the process has more threads than these.
bool has_other_threads(std::size_t known);
/// Signals that wait for the thread or for any of the process; bit 0 is signal 1.
std::uint64_t pending_signals(std::uint32_t kernel_thread);
std::uint64_t blocked_signals(std::uint32_t kernel_thread);
/// Whether a timer of the process is going to send a signal.
bool has_armed_timer();
bool has_children();
/// Whether other processes may have this memory, too.
bool is_shared_memory(const void* address);

}  // namespace ravel::rt

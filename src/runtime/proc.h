// What the kernel says of this process and its threads, in /proc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ravel::rt {

/// Whether a thread sleeps in the kernel.
bool is_asleep(std::uint32_t kernel_thread);
bool thread_exists(std::uint32_t kernel_thread);
/// Whether the process has more threads than these.
bool has_other_threads(std::size_t known);
/// Whether other processes may have this memory, too.
bool is_shared_memory(const void* address);

}  // namespace ravel::rt

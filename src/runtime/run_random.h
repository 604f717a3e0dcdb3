// The random numbers of a controlled run: what the program asks the system for comes from the seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ravel::rt {

void start_run_random(bool is_virtual, std::uint64_t seed);

/// False: the program shall have the system's.
bool fill_randomly(void* to, std::size_t bytes);

}  // namespace ravel::rt

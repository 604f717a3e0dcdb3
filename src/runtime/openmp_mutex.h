// Mutexes of OpenMP: locks, critical and ordered regions, atomic operations that are done under a lock.
//
// The interface tells of a release when it has happened, perhaps after the next owner has told of its own
// success. That one is made to wait, so that the recording has them in their order.
#pragma once

#include <cstdint>

#include "runtime/openmp_interface.h"

namespace ravel::rt::omp {

void mutex_acquire(Mutex kind, unsigned hint, unsigned implementation, std::uint64_t mutex, const void* code);
void mutex_acquired(Mutex kind, std::uint64_t mutex, const void* code);
void mutex_released(Mutex kind, std::uint64_t mutex, const void* code);

/// In a forked child.
void free_mutexes();

}  // namespace ravel::rt::omp

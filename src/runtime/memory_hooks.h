// Functions of the program that want to know of every allocation (sanitizer/allocator_interface.h).
#pragma once

#include <cstddef>

namespace ravel::rt {

using MallocHook = void (*)(const volatile void*, std::size_t);
using FreeHook = void (*)(const volatile void*);

struct MemoryHooks {
  static constexpr int kMost = 5;
  int count = 0;
  MallocHook on_malloc[kMost] = {};
  FreeHook on_free[kMost] = {};
};
extern MemoryHooks memory_hooks;

}  // namespace ravel::rt

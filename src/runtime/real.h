// The functions that the runtime's interceptors stand in front of.
//
//   RAVEL_REAL(pthread_mutex_lock)            once, in the file of the interceptor
//   real_pthread_mutex_lock()(mutex)          calls it
//
// They are looked up at their first use: libraries' constructors call interceptors before the runtime's own
// have run.
#pragma once

#include "runtime/platform.h"

namespace ravel::rt {

/// Stores the address of the next definition of `name` in `*function`; dies if there is none.
RAVEL_NOINLINE void find_real(const char* name, void* function);

}  // namespace ravel::rt

#define RAVEL_REAL_TYPED(name, ...)                                     \
  using Real_##name = __VA_ARGS__;                                      \
  static constinit Real_##name found_##name = nullptr;                  \
  RAVEL_INLINE static Real_##name real_##name() {                       \
    if (found_##name == nullptr) [[unlikely]]                           \
      ::ravel::rt::find_real(#name, static_cast<void*>(&found_##name)); \
    return found_##name;                                                \
  }
#define RAVEL_REAL(name) RAVEL_REAL_TYPED(name, decltype(&::name))

/// Defines the interceptor of `name`. Its C++ name is another, so that the declaration in the system's header
/// need not be matched in attributes.
#define RAVEL_INTERCEPT(result, name, ...)                             \
  RAVEL_INTERFACE result intercept_##name(__VA_ARGS__) __asm__(#name); \
  result intercept_##name(__VA_ARGS__)

/// Where the program called the interceptor from.
#define RAVEL_CALLER reinterpret_cast<::ravel::rt::Pc>(__builtin_return_address(0))

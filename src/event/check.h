// CHECK: an invariant of ravel's own that stays on in release builds.
//
// For bugs of ours only; wrong input is an Error value (result.h). A failed CHECK names the place, the
// condition and the given context, and exits with kExitInternal (70).
#pragma once

#include <string_view>

namespace ravel {

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view context = {});

}  // namespace ravel

#define CHECK(condition, ...)                                                           \
  do {                                                                                  \
    if (!(condition)) [[unlikely]]                                                      \
      ::ravel::check_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)

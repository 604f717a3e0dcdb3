#include "event/check.h"

#include <cstdio>
#include <cstdlib>

#include "event/result.h"

namespace ravel {

void check_failed(const char* file, int line, const char* condition, std::string_view context) {
  std::fprintf(stderr, "ravel: internal error: %s:%d: CHECK(%s) failed%s%.*s\n", file, line, condition,
               context.empty() ? "" : ": ", static_cast<int>(context.size()), context.data());
  std::fflush(stdout);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  std::abort();  // the fuzzer keeps the input of a crash, not of an exit
#else
  std::_Exit(kExitInternal);
#endif
}

}  // namespace ravel

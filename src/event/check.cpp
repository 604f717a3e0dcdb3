#include "event/check.h"

#include <cstdio>
#include <cstdlib>

#include "event/result.h"

namespace ravel {

void check_failed(const char* file, int line, const char* condition, std::string_view context) {
  std::fprintf(stderr, "ravel: internal error: %s:%d: CHECK(%s) failed%s%.*s\n", file, line, condition,
               context.empty() ? "" : ": ", static_cast<int>(context.size()), context.data());
  std::fflush(stdout);
  std::_Exit(kExitInternal);
}

}  // namespace ravel

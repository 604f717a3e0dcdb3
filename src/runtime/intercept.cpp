#include "runtime/intercept.h"

#include <dlfcn.h>
#include <string.h>

namespace ravel::rt {
namespace {

__thread std::uint32_t cached_thread_id __attribute__((tls_model("initial-exec"))) = 0;

}  // namespace

void find_real(const char* name, void* function) {
  const Quiet quiet;
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    complain("the program needs a function that no library has: ", name);
    die("it cannot go on");
  }
  __atomic_store_n(static_cast<void**>(function), found, __ATOMIC_RELEASE);
}

std::uint32_t own_thread_id() {
  if (cached_thread_id == 0) cached_thread_id = kernel_thread_id();
  return cached_thread_id;
}

void forget_own_thread_id() { cached_thread_id = 0; }

}  // namespace ravel::rt

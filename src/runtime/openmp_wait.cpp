#include "runtime/openmp_wait.h"

#include <dlfcn.h>

namespace ravel::rt::omp {
namespace {

// Those that compilers call for `taskyield` (kmp.h of LLVM).
using ThreadNumber = int (*)(void* location);
using TaskYield = int (*)(void* location, int thread, int end_part);

constinit ThreadNumber thread_number = nullptr;
constinit TaskYield task_yield = nullptr;

}  // namespace

void find_functions(Lookup lookup) {
  Dl_info module{};
  if (dladdr(reinterpret_cast<void*>(lookup), &module) == 0) return;
  void* const library = dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  thread_number = reinterpret_cast<ThreadNumber>(dlsym(library, "__kmpc_global_thread_num"));
  task_yield = reinterpret_cast<TaskYield>(dlsym(library, "__kmpc_omp_taskyield"));
  dlclose(library);
}

bool run_tasks() {
  if (thread_number == nullptr || task_yield == nullptr) return false;
  task_yield(nullptr, thread_number(nullptr), 0);
  return true;
}

}  // namespace ravel::rt::omp

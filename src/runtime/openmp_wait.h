// How threads wait for tasks of OpenMP in a controlled run.
//
// LLVM's runtime looks for tasks to run until those that it waits for have ended, without a call that anybody
// sees while there are none. So the thread does that by steps, before the runtime begins to.
#pragma once

#include "runtime/intercept.h"
#include "runtime/openmp_interface.h"

namespace ravel::rt::omp {

/// Finds what the OpenMP runtime that has this function offers.
void find_functions(Lookup lookup);
/// The calling thread runs those tasks that it may run now. False: nobody can ask for that.
bool run_tasks();

/// Others go on until `is_over()`.
template <typename IsOver>
void await_tasks(IsOver is_over, const void* code) {
  if (!controlled || acting_thread() == nullptr) return;
  while (!is_over() && run_tasks() && !is_over())
    reach({.kind = OperationKind::Yield, .pc = reinterpret_cast<Pc>(code)});
}

}  // namespace ravel::rt::omp

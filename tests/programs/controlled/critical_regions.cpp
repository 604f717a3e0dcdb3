// Critical regions are entered in both orders. LLVM's runtime says who is in them, g++'s does not.
// RUN: -fopenmp
// NEEDS: <omp.h>
// EXPECT: output done
// EXPECT: lost-wakeup
// EXPECT: deadlock
#include <omp.h>

#include "controlled.h"

int main() {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 3; ++i) {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(left)
      {
        sched_yield();
#pragma omp critical(right)
        sched_yield();
      }
    } else {
#pragma omp critical(right)
      {
        sched_yield();
#pragma omp critical(left)
        sched_yield();
      }
    }
  }
  puts("done");
}

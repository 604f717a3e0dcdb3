// A task's result is read before the task was waited for.
// EXPECT: race on result
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
#include <atomic>

int result;
std::atomic<int> begun;

int main() {
  int seen = 0;
#pragma omp parallel num_threads(2) reduction(+ : seen)
#pragma omp single
  {
#pragma omp task
    {
      begun.store(1, std::memory_order_relaxed);
      result = 1;
    }
    while (begun.load(std::memory_order_relaxed) == 0) {
    }
    seen = result;
#pragma omp taskwait
  }
  return seen < 0;
}

// Inner teams of two outer threads: the barrier of one is not the other's.
// EXPECT: race on cell
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
#include <omp.h>

#include <atomic>

int cell;
std::atomic<int> teams;

int main() {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    {
#pragma omp master
      teams.fetch_add(1, std::memory_order_relaxed);
      while (teams.load(std::memory_order_relaxed) < 2) {  // else one thread could be in both
      }
      if (outer == 0 && omp_get_thread_num() == 1) cell = 1;
#pragma omp barrier
      if (outer == 1 && omp_get_thread_num() == 1) cell = 2;
    }
  }
}

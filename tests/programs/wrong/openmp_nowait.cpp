// The loop does not wait for its end, so its results are read too early.
// EXPECT: race on parts
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
#include <omp.h>

int parts[2];

int main() {
  int seen = 0;
#pragma omp parallel num_threads(2) reduction(+ : seen)
  {
#pragma omp for nowait schedule(static)
    for (int i = 0; i < 2; ++i) parts[i] = i;
    seen += parts[1 - omp_get_thread_num()];
#pragma omp barrier
  }
  return seen < 0;
}

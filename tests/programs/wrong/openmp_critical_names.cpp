// Critical regions of different names do not exclude each other.
// EXPECT: race on total
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
#include <omp.h>

int total;

int main() {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
    ++total;
  } else {
#pragma omp critical(second)
    ++total;
  }
}

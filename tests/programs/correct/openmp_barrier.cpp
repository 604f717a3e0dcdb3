// Threads read what others wrote before a barrier: explicit ones and those at the end of constructs.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
#include <omp.h>

int parts[4];
int by_single, by_section[2], copied;

int main() {
  int bad = 0;
#pragma omp parallel num_threads(4) reduction(+ : bad)
  {
    const int self = omp_get_thread_num();
    int mine = 0;
    for (int round = 0; round < 10; ++round) {
      parts[self] = round;
#pragma omp barrier
      for (const int part : parts) bad += part != round;
#pragma omp barrier
    }
#pragma omp single
    by_single = 1;
    bad += by_single != 1;
#pragma omp sections
    {
#pragma omp section
      by_section[0] = 1;
#pragma omp section
      by_section[1] = 2;
    }
    bad += by_section[0] + by_section[1] != 3;
#pragma omp single copyprivate(mine)
    mine = copied = 7;
    bad += mine != 7;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; ++i) parts[i] = i;
    bad += parts[3 - self] != 3 - self;
  }
  parts[0] = 5;
#pragma omp parallel num_threads(4) reduction(+ : bad)
  bad += parts[0] != 5;
  return bad;
}

// Teams within teams: what an inner team did is seen by its outer thread, and by the others after a barrier.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
#include <omp.h>

int cells[2][2];
int sums[2];

int main() {
  omp_set_max_active_levels(2);
  int bad = 0;
  for (int round = 1; round <= 10; ++round) {
#pragma omp parallel num_threads(2) reduction(+ : bad)
    {
      const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
      {
        cells[outer][omp_get_thread_num()] = round;
#pragma omp barrier
#pragma omp single
        sums[outer] = cells[outer][0] + cells[outer][1];
      }
      bad += sums[outer] != cells[outer][0] + cells[outer][1];
#pragma omp barrier
      bad += sums[1 - outer] != sums[outer];
#pragma omp parallel num_threads(2) if (outer == 2)
      bad += cells[outer][1] - cells[outer][0];
    }
    sums[0] = sums[1] = 0;
  }
  return bad;
}

// All threads of a loop add to one variable that is no reduction.
// EXPECT: race on total
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
int total;

int main() {
#pragma omp parallel for num_threads(2) schedule(static)
  for (int i = 0; i < 100; ++i) total += i;
}

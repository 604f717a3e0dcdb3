// Counters under critical regions of two names, and of none, and an atomic one.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
int first, second, unnamed, counted;
constexpr int kAll = 8000;

int main() {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 2000; ++i) {
#pragma omp critical(first)
    {
      ++first;
#pragma omp critical(second)
      ++second;
    }
#pragma omp critical
    ++unnamed;
#pragma omp atomic
    ++counted;
  }
  return first == kAll && second == kAll && unnamed == kAll && counted == kAll ? 0 : 1;
}

// Iterations that are ordered; and a flag with flushes.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
int last, message, ready;

int main() {
  int bad = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 64; ++i) {
#pragma omp ordered
      last = last + 1;
    }
#pragma omp sections
    {
#pragma omp section
      {
        message = 1;
#pragma omp flush
#pragma omp atomic write
        ready = 1;
      }
#pragma omp section
      {
        int seen = 0;
        for (int turn = 0; turn < 1000 && seen == 0; ++turn) {
#pragma omp atomic read
          seen = ready;
        }
#pragma omp flush
        if (seen != 0 && message != 1) bad = 1;
      }
    }
  }
  return bad + (last != 64);
}

// Iterations that are ordered, as a whole and by dependences on earlier ones; and a flag with flushes.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
int last, chain[64], grid[8][8], message, ready;

int main() {
  int bad = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 64; ++i) {
#pragma omp ordered
      last = last + 1;
    }
#pragma omp for ordered(1)
    for (int i = 1; i < 64; ++i) {
#pragma omp ordered depend(sink : i - 1)
      chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(2)
    for (int i = 1; i < 8; ++i) {
      for (int j = 1; j < 8; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
#pragma omp ordered depend(source)
      }
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
  return bad + (last != 64) + (chain[63] != 63) + (grid[1][7] != 7);
}

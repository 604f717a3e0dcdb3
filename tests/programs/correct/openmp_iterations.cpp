// Iterations that depend on earlier ones, of a loop and of two.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
// UNSEEN: g++, because libgomp looks for an iteration in a loop that calls nothing.
int chain[64], grid[8][8];

int main() {
#pragma omp parallel num_threads(4)
  {
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
  }
  return (chain[63] != 63) + (grid[1][7] != 7);
}

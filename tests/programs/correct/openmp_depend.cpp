// Dependences order tasks: written before read, read before written again, one at a time, and waited for.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
// ADDRESSES: fixed, because libgomp hashes those of dependences, and allocates memory accordingly.
int stage, copies[8], both, alone, set[4];

int main() {
  int bad = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int round = 1; round <= 20; ++round) {
#pragma omp task depend(out : stage)
    stage = round;
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(in : stage) depend(out : copies[i]) firstprivate(i)
      copies[i] = stage + i;
    }
#pragma omp task depend(inout : stage) depend(in : copies[2]) depend(out : both)
    {
      stage += copies[2];
      both = stage;
    }
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(mutexinoutset : alone)
      ++alone;
    }
#pragma omp task depend(in : alone)
#pragma omp atomic
    bad += alone != 4 * round;
#pragma omp taskwait depend(in : both)
    const int seen = both;
#pragma omp atomic
    bad += seen != 2 * round + 2;
  }
  return bad;
}

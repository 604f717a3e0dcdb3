// Two threads take different locks for one variable.
// EXPECT: race on balance
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
#include <omp.h>

omp_lock_t locks[2];
int balance;

int main() {
  for (omp_lock_t& lock : locks) omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t& lock = locks[omp_get_thread_num()];
    omp_set_lock(&lock);
    ++balance;
    omp_unset_lock(&lock);
  }
  for (omp_lock_t& lock : locks) omp_destroy_lock(&lock);
}

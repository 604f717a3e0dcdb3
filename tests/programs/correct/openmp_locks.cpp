// Counters under OpenMP's locks: simple, nested, and tried.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
#include <omp.h>

struct Account {
  omp_lock_t lock;
  int balance = 0;
};
Account accounts[2];
omp_nest_lock_t nested;
int depth;

void deepen(int n) {
  omp_set_nest_lock(&nested);
  ++depth;
  if (n > 0) deepen(n - 1);
  omp_unset_nest_lock(&nested);
}

int main() {
  for (Account& account : accounts) omp_init_lock(&account.lock);
  omp_init_nest_lock(&nested);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 50; ++i) {
    Account& from = accounts[0];
    Account& to = accounts[1];
    omp_set_lock(&from.lock);
    --from.balance;
    omp_set_lock(&to.lock);
    ++to.balance;
    omp_unset_lock(&to.lock);
    omp_unset_lock(&from.lock);
    if (omp_test_lock(&to.lock)) {
      to.balance += 0;
      omp_unset_lock(&to.lock);
    }
    deepen(3);
    if (omp_test_nest_lock(&nested) != 0) {
      ++depth;
      --depth;
      omp_unset_nest_lock(&nested);
    }
  }
  for (Account& account : accounts) omp_destroy_lock(&account.lock);
  omp_destroy_nest_lock(&nested);
  return accounts[1].balance == 200 && depth == 800 ? 0 : 1;
}

// Of three tasks one says nothing of what it depends on.
// EXPECT: race on stock
// RUN: -fopenmp
// NEEDS: <omp.h>
// WITH: clang
#include <atomic>

int stock, sold;
std::atomic<int> inside;

/// Two tasks on two threads: neither goes on without the other.
void meet() {
  inside.fetch_add(1, std::memory_order_relaxed);
  while (inside.load(std::memory_order_relaxed) < 2) {
  }
}

int main() {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : stock)
    stock = 3;
#pragma omp task depend(inout : stock)
    {
      meet();
      --stock;
    }
#pragma omp task depend(out : sold)
    {
      meet();
      sold = stock;
    }
  }
}

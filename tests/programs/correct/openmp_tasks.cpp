// Tasks see what was done before they were created; taskwait, taskgroup and barriers wait for them.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
#include <atomic>
#include <vector>

/// The creator of a task goes on when another thread has run it.
std::atomic<int> ended;
void end() { ended.fetch_add(1, std::memory_order_relaxed); }
void see_end() {
  while (ended.load(std::memory_order_relaxed) == 0) {
  }
  ended.store(0, std::memory_order_relaxed);
}

long fibonacci(int n) {
  if (n < 2) return n;
  long first = 0, second = 0;
#pragma omp task shared(first)
  first = fibonacci(n - 1);
#pragma omp task shared(second) if (n > 5)
  second = fibonacci(n - 2);
#pragma omp taskwait
  return first + second;
}

struct Text {
  std::vector<int> letters;
};

int main() {
  int bad = 0;
  static int squares[200], doubled[200], grown, sum;
#pragma omp parallel num_threads(4)
#pragma omp master
  {
    bad += fibonacci(12) != 144;
    for (int i = 0; i < 200; ++i) {
      const Text text{{i, i}};
#pragma omp task firstprivate(text, i)
      {
        squares[i] = text.letters[0] * text.letters[1];
        end();
      }
      see_end();
    }
#pragma omp taskwait
    bad += squares[9] != 81;
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        {
          grown = 1;
          end();
        }
      }
      see_end();
    }
    bad += grown != 1;
#pragma omp taskloop grainsize(10)
    for (int i = 0; i < 200; ++i) doubled[i] = 2 * squares[i];
    bad += doubled[3] != 18;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
    bad += sum != 1225;
#pragma omp task untied
    {
      grown = 2;
#pragma omp taskyield
      grown = 3;
      end();
    }
    see_end();
  }
  return bad + (grown != 3);
}

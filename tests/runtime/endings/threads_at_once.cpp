// Six hundred threads that are all there at once: more than a live reader lets a program fill chunks ahead.
// EXIT 0
#include <pthread.h>

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  constexpr unsigned kThreads = 600;
  pthread_barrier_t together;
  pthread_barrier_init(&together, nullptr, kThreads);
  std::mutex mutex;
  int sum = 0;
  const auto add = [&] {
    const std::lock_guard lock(mutex);
    ++sum;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      add();
      pthread_barrier_wait(&together);
      add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d\n", sum);
}

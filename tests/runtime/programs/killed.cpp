// A program to be killed: threads come and go, lock, count and allocate, and say in a file how far they got.
//
// Each worker has a mutex and an atomic counter of its own, so that the trace of its operations can be
// compared with what it said: it says so after the operation, outside of what is recorded.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kWorkers = 6;

struct Progress {
  std::uint64_t mutex, counter;   ///< their addresses
  std::uint64_t locked, counted;  ///< how often
};

struct Worker {
  alignas(64) std::mutex mutex;
  std::atomic<int> counter = 0;
  int guarded = 0;
};
Worker workers[kWorkers];
std::mutex common;
int shared = 0;

__attribute__((no_sanitize("thread"))) void say(volatile std::uint64_t& what) { what = what + 1; }

void work(int number, Progress* progress) {
  Worker& worker = workers[number];
  for (;;) {
    {
      const std::lock_guard lock(worker.mutex);
      ++worker.guarded;
      worker.counter.fetch_add(1);  // outside of the lock it would have no record
      say(progress->counted);
    }
    say(progress->locked);
    if (worker.guarded % 16 == 0) {
      const std::lock_guard lock(common);
      ++shared;
    }
    if (worker.guarded % 64 == 0) {
      std::vector<int> some(static_cast<std::size_t>(1 + worker.guarded % 500), number);
      std::thread([&] { some[0] += some.back(); }).join();
    }
  }
}

}  // namespace

int main(int, char** words) {
  const int file = open(words[1], O_RDWR | O_CREAT, 0666);
  if (file < 0 || ftruncate(file, sizeof(Progress) * kWorkers) != 0) return 1;
  auto* const progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress) * kWorkers, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  std::vector<std::thread> threads;
  for (int i = 0; i < kWorkers; ++i) {
    progress[i].mutex = reinterpret_cast<std::uint64_t>(&workers[i].mutex);
    progress[i].counter = reinterpret_cast<std::uint64_t>(&workers[i].counter);
    threads.emplace_back(work, i, progress + i);
  }
  for (std::thread& thread : threads) thread.join();
}

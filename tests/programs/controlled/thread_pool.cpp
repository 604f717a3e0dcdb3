// A pool of three workers, whose tasks start other tasks.
// EXPECT: output 15 tasks
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {
class Pool {
 public:
  Pool() {
    for (int i = 0; i < 3; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return tasks_.empty() && busy_ == 0; });
    ending_ = true;
    lock.unlock();
    added_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    added_.notify_one();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      added_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      ++busy_;
      lock.unlock();
      task();
      lock.lock();
      if (--busy_ == 0 && tasks_.empty()) idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable added_, idle_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> workers_;
  int busy_ = 0;
  bool ending_ = false;
};

std::mutex counting;
int count;

void run(Pool& pool, int depth) {
  {
    const std::lock_guard lock(counting);
    ++count;
  }
  if (depth == 0) return;
  pool.add([&pool, depth] { run(pool, depth - 1); });
  pool.add([&pool, depth] { run(pool, depth - 1); });
}
}  // namespace

int main() {
  {
    Pool pool;
    pool.add([&pool] { run(pool, 3); });
  }
  std::printf("%d tasks\n", count);
}

// What a thread knows of another one by whatever means it hands on by a flag, and who reads the flag by
// another one: whoever reads that comes after all of them. No two of the ways to know have to do with each
// other: who starts the threads learns nothing of them.
// EXPECT: none
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>

/// One way: `give` in one thread, then `take` in the next.
template <typename Give, typename Take>
void hand_on(Give give, Take take) {
  static long data, far, more, counted, in_lock;
  static std::atomic<int> flag, second_flag, count;
  static std::atomic<int> ended;   // orders nothing
  static std::atomic<int> locked;  // nor does this
  static std::mutex mutex, last_mutex;
  data = far = more = counted = in_lock = 1;
  const auto wait_for = [](const std::atomic<int>& what, int value) {
    while (what.load(std::memory_order_acquire) != value) std::this_thread::yield();
  };
  const auto end = [] { ended.fetch_add(1, std::memory_order_relaxed); };
  std::thread first([=] {
    data++;
    far++;
    give();
    end();
  });
  std::thread second([=] {
    more++;
    flag.store(1, std::memory_order_release);
    more++;  // the flag was not for this
    take();
    flag.store(2, std::memory_order_release);
    counted++;
    count.fetch_add(1, std::memory_order_acq_rel);
    end();
  });
  std::thread third([=] {
    wait_for(flag, 2);
    second_flag.store(1, std::memory_order_release);
    {
      const std::lock_guard lock(mutex);
      in_lock++;
    }
    end();
  });
  std::thread fourth([=] {
    wait_for(second_flag, 1);
    more++;
    data++;
    {
      const std::lock_guard lock(mutex);
      in_lock++;
    }
    wait_for(count, 1);
    counted++;
    last_mutex.lock();
    last_mutex.unlock();
    locked.store(1, std::memory_order_relaxed);
    end();
  });
  std::thread fifth([=] {
    while (locked.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    last_mutex.lock();
    last_mutex.unlock();
    far++;
    end();
  });
  for (std::thread* const thread : {&first, &second, &third, &fourth, &fifth}) thread->detach();
  while (ended.load(std::memory_order_relaxed) != 5) std::this_thread::yield();
}

std::atomic<int> turn = 0;  // orders nothing
void wait_for_turn(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}

void by_barrier() {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto wait = [] { pthread_barrier_wait(&barrier); };
  hand_on(wait, wait);
}

void by_reader() {
  static std::shared_mutex mutex;
  hand_on(
      [] {
        mutex.lock_shared();
        mutex.unlock_shared();
        turn.store(1, std::memory_order_relaxed);
      },
      [] {
        wait_for_turn(1);
        mutex.lock();
        mutex.unlock();
      });
}

void by_lock() {
  static std::mutex mutex;
  hand_on(
      [] {
        mutex.lock();
        mutex.unlock();
        turn.store(2, std::memory_order_relaxed);
      },
      [] {
        wait_for_turn(2);
        mutex.lock();
        mutex.unlock();
      });
}

void by_fence() {
  static std::atomic<int> flag = 0;
  hand_on([] { flag.store(1, std::memory_order_release); },
          [] {
            while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
            std::atomic_thread_fence(std::memory_order_acquire);
          });
}

void by_two_fences() {
  static std::atomic<int> flag = 0;
  hand_on(
      [] {
        std::atomic_thread_fence(std::memory_order_release);
        flag.store(1, std::memory_order_relaxed);
      },
      [] {
        while (flag.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
        std::atomic_thread_fence(std::memory_order_acquire);
      });
}

void by_semaphore() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  hand_on([] { sem_post(&semaphore); }, [] { sem_wait(&semaphore); });
}

void by_flag() {
  static std::atomic<int> flag = 0;
  hand_on([] { flag.store(1, std::memory_order_release); },
          [] {
            int one = 1;
            while (!flag.compare_exchange_weak(one, 2, std::memory_order_acq_rel)) {
              one = 1;
              std::this_thread::yield();
            }
          });
}

// Who writes the word comes after one reader by a flag and after the other one by a lock.
void by_flag_and_lock() {
  static long word;
  static std::mutex first_mutex, second_mutex;
  static std::atomic<int> flag = 0;
  static std::atomic<int> steps = 0;  // orders nothing
  const auto touch = [](std::mutex& mutex) { const std::lock_guard lock(mutex); };
  const auto wait_until = [](int number) {
    while (steps.load(std::memory_order_relaxed) != number) std::this_thread::yield();
  };
  const auto step = [] { steps.fetch_add(1, std::memory_order_relaxed); };
  std::thread([=] {
    word++;
    touch(first_mutex);
    step();
  }).detach();
  std::thread([=] {
    wait_until(1);
    touch(first_mutex);
    if (word == 0) std::abort();
    flag.store(1, std::memory_order_release);
    step();
    wait_until(4);  // does nothing more until then
    step();
  }).detach();
  std::thread([=] {
    wait_until(2);
    touch(first_mutex);
    if (word == 0) std::abort();
    touch(second_mutex);
    step();
  }).detach();
  std::thread([=] {
    wait_until(3);
    while (flag.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    touch(second_mutex);
    word++;
    step();
  }).detach();
  wait_until(5);
}

int main() {
  by_flag_and_lock();
  by_barrier();
  by_reader();
  by_lock();
  by_fence();
  by_two_fences();
  by_semaphore();
  by_flag();
}

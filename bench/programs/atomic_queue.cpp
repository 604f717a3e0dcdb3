// Producers and consumers around one bounded queue of atomics (Vyukov's): usage atomic_queue PAIRS ITEMS.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

class Queue {
 public:
  explicit Queue(std::size_t size) : cells_(std::make_unique<Cell[]>(size)), mask_(size - 1) {
    for (std::size_t i = 0; i < size; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool push(std::uint64_t value) {
    std::size_t at = tail_.load(std::memory_order_relaxed);
    while (true) {
      Cell& cell = cells_[at & mask_];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at) {
        if (!tail_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) continue;
        cell.value = value;
        cell.turn.store(at + 1, std::memory_order_release);
        return true;
      }
      if (turn < at) return false;
      at = tail_.load(std::memory_order_relaxed);
    }
  }

  bool pop(std::uint64_t& value) {
    std::size_t at = head_.load(std::memory_order_relaxed);
    while (true) {
      Cell& cell = cells_[at & mask_];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at + 1) {
        if (!head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) continue;
        value = cell.value;
        cell.turn.store(at + mask_ + 1, std::memory_order_release);
        return true;
      }
      if (turn < at + 1) return false;
      at = head_.load(std::memory_order_relaxed);
    }
  }

 private:
  struct Cell {
    std::atomic<std::size_t> turn;
    std::uint64_t value = 0;
  };
  std::unique_ptr<Cell[]> cells_;
  std::size_t mask_;
  alignas(64) std::atomic<std::size_t> tail_ = 0;
  alignas(64) std::atomic<std::size_t> head_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t pairs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1;
  const std::uint64_t items = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000;
  Queue queue(1024);
  std::vector<std::uint64_t> sums(pairs);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < pairs; ++i) {
    all.emplace_back([&queue, items] {
      for (std::uint64_t n = 1; n <= items; ++n)
        while (!queue.push(n)) std::this_thread::yield();
    });
    all.emplace_back([&queue, items, &sum = sums[i]] {
      std::uint64_t total = 0;
      for (std::uint64_t n = 1; n <= items; ++n) {
        std::uint64_t value = 0;
        while (!queue.pop(value)) std::this_thread::yield();
        total += value;
      }
      sum = total;
    });
  }
  for (std::thread& thread : all) thread.join();
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) total += sum;
  std::printf("%llu\n", static_cast<unsigned long long>(total));
}

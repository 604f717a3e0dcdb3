// Threads use one hash map, each bucket chain behind the map's mutex: usage hash_map THREADS OPERATIONS.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

class Counts {
 public:
  void add(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    ++map_[key];
  }
  std::uint64_t get(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    const auto found = map_.find(key);
    return found == map_.end() ? 0 : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> map_;
};

Counts counts;

void work(std::uint64_t seed, std::uint64_t operations, std::uint64_t& sum) {
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < operations; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t key = seed >> 50;
    if (i % 4 == 0)
      counts.add(key);
    else
      total += counts.get(key);
  }
  sum = total;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t threads = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2;
  const std::uint64_t operations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000;
  std::vector<std::uint64_t> sums(threads);
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i) all.emplace_back(work, i, operations, std::ref(sums[i]));
  for (std::thread& thread : all) thread.join();
  std::uint64_t total = 0;
  for (std::uint64_t key = 0; key < 1 << 14; ++key) total += counts.get(key);
  std::printf("%llu\n", static_cast<unsigned long long>(total));
}

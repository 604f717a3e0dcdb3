// Futures, promises and packaged tasks bring the result along.
// EXPECT: none
#include <future>
#include <thread>
#include <vector>

std::vector<int> numbers;

int main() {
  numbers.assign(10, 1);
  auto sum = std::async(std::launch::async, [] {
    int total = 0;
    for (const int number : numbers) total += number;
    numbers.push_back(total);
    return total;
  });
  if (sum.get() != 10 || numbers.back() != 10) return 1;

  std::promise<void> written;
  std::thread writer([&written] {
    numbers.push_back(5);
    written.set_value();
  });
  written.get_future().wait();
  const bool right = numbers.back() == 5;
  writer.join();
  return right ? 0 : 1;
}

// Main goes on writing before it joins.
// EXPECT: race on value
#include <thread>

int value;

int main() {
  std::thread worker([] { ++value; });
  ++value;
  worker.join();
}

// Threads that fill neighbouring bytes of one array, also within one word.
// EXPECT: none
#include <cstring>
#include <thread>

char buffer[16];

int main() {
  std::thread first([] { std::memset(buffer, 'a', 3); });
  std::thread second([] { std::memset(buffer + 3, 'b', 6); });
  std::thread third([] { buffer[9] = 'c'; });
  first.join();
  second.join();
  third.join();
  return buffer[2] != 'a' || buffer[3] != 'b' || buffer[9] != 'c';
}

// What a thread did is before its join; what its creator did is before its start. jthread joins by itself.
// EXPECT: none
#include <thread>

int value;

int main() {
  value = 1;
  {
    const std::jthread worker([] { value += 1; });
  }
  value += 1;
  std::thread([] { value += 1; }).join();
  return value != 4;
}

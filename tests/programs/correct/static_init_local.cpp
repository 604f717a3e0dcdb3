// A function's static object is built once; every later caller sees it built.
// EXPECT: none
#include <thread>

struct Setting {
  int value;
  explicit Setting(int start) : value(start) {}
};

int start = 7;

Setting& get() {
  static Setting setting(start);
  return setting;
}

void work() { [[maybe_unused]] volatile int seen = get().value; }

int main() {
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
  for (std::thread& thread : threads) thread.join();
}

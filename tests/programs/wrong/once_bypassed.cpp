// One thread initialises through call_once, the other just reads.
// EXPECT: race on setting
#include <mutex>
#include <thread>

std::once_flag once;
int setting;

void read_setting() { [[maybe_unused]] volatile int seen = setting; }

int main() {
  std::thread first([] { std::call_once(once, [] { setting = 7; }); });
  std::thread second(read_setting);
  first.join();
  second.join();
}

// "Initialise at first use" with a plain flag.
// EXPECT: race on initialised
// EXPECT: race on setting
#include <thread>

bool initialised;
int setting;

int get() {
  if (!initialised) {
    setting = 7;
    initialised = true;
  }
  return setting;
}

void work() { [[maybe_unused]] volatile int seen = get(); }

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}

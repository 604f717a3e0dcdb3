// Whoever reads has been through call_once or pthread_once.
// EXPECT: none
#include <pthread.h>

#include <mutex>
#include <thread>

std::once_flag once;
pthread_once_t old_once = PTHREAD_ONCE_INIT;
int setting;
int old_setting;

void work() {
  std::call_once(once, [] { setting = 7; });
  pthread_once(&old_once, [] { old_setting = 8; });
  [[maybe_unused]] volatile int seen = setting + old_setting;
}

int main() {
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
  for (std::thread& thread : threads) thread.join();
}

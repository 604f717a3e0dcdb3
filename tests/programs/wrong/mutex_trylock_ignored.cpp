// The result of try_lock is ignored; nobody releases the lock, so it orders nothing.
// EXPECT: race on hits
#include <pthread.h>

#include <thread>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int hits;

void hit() {
  [[maybe_unused]] const int ignored = pthread_mutex_trylock(&lock);
  ++hits;
}

int main() {
  std::thread first(hit);
  std::thread second(hit);
  first.join();
  second.join();
}

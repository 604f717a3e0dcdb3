// The permit is given back before the work is done.
// EXPECT: race on count
#include <semaphore>
#include <thread>

std::counting_semaphore<2> permits(1);
int count;

void work() {
  permits.acquire();
  permits.release();
  ++count;
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}

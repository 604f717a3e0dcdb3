// The handler interrupts the thread whose variable it writes: one thread, program order.
// EXPECT: none
#include <csignal>
#include <thread>

volatile std::sig_atomic_t events;

int main() {
  std::signal(SIGUSR1, [](int) { events = events + 1; });
  std::thread worker([] {
    events = 1;
    std::raise(SIGUSR1);
    events = events + 1;
  });
  worker.join();
  return events != 3;
}

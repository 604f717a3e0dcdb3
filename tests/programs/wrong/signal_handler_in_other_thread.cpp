// A signal handler runs on one thread and writes what another thread writes.
// EXPECT: race on events
#include <csignal>
#include <thread>

int events;

int main() {
  std::signal(SIGUSR1, [](int) { ++events; });
  std::thread first([] { std::raise(SIGUSR1); });
  std::thread second([] { ++events; });
  first.join();
  second.join();
}

// A global's constructor starts a thread that uses another global, which main uses as well.
// EXPECT: race on log_size
#include <thread>

int log_size;

struct Logger {
  std::thread thread{[] { ++log_size; }};
  ~Logger() { thread.join(); }
};

Logger logger;

int main() { ++log_size; }

// The inner release of a recursive lock gives nothing away: the outer one still protects.
// EXPECT: none
#include <mutex>
#include <thread>

std::recursive_mutex lock;
int depth;

void descend(int levels) {
  const std::lock_guard guard(lock);
  ++depth;
  if (levels > 0) descend(levels - 1);
  --depth;
}

int main() {
  std::thread first(descend, 5);
  std::thread second(descend, 7);
  first.join();
  second.join();
  return depth;
}

// Two bit-fields share a byte: writing one writes the other.
// EXPECT: race on flags
#include <thread>

struct Flags {
  unsigned first : 1;
  unsigned second : 1;
};

Flags flags;

int main() {
  std::thread one([] { flags.first = 1; });
  std::thread two([] { flags.second = 1; });
  one.join();
  two.join();
}

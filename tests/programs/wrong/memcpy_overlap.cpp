// A copy of a block against a write in its middle: different widths, overlapping bytes.
// EXPECT: race on buffer
#include <cstring>
#include <thread>

char buffer[64];
char copy[64];

int main() {
  std::thread copier([] { std::memcpy(copy, buffer, sizeof buffer); });
  std::thread writer([] { buffer[33] = 'x'; });
  copier.join();
  writer.join();
}

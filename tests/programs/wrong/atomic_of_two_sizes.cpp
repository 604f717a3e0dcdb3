// A relaxed load of one byte and then of all eight, at the same time: a plain write of another byte races
// with the second.
// EXPECT: race on word
#include <atomic>
#include <thread>

alignas(8) unsigned char word[8];

int main() {
  std::thread reader([] {
    [[maybe_unused]] volatile unsigned long seen = __atomic_load_n(&word[0], __ATOMIC_RELAXED);
    seen = __atomic_load_n(reinterpret_cast<unsigned long*>(word), __ATOMIC_RELAXED);
  });
  std::thread writer([] { word[5] = 1; });
  reader.join();
  writer.join();
}

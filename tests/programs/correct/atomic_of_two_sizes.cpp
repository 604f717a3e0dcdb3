// A store to one byte, and a load of all eight: the load synchronizes with it. A failed compare-exchange is a
// load.
// EXPECT: none
#include <atomic>
#include <thread>

alignas(8) unsigned char word[8];
long once;
int data, tried;

int main() {
  std::thread writer([] {
    data = 42;
    __atomic_store_n(&word[6], 1, __ATOMIC_RELEASE);
  });
  std::thread reader([] {
    auto* const all = reinterpret_cast<unsigned long*>(word);
    while (__atomic_load_n(all, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = data;
    [[maybe_unused]] volatile long read = once;
  });
  std::thread trier([] {
    long expected = 1;
    tried = __atomic_compare_exchange_n(&once, &expected, 2, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  });
  writer.join();
  reader.join();
  trier.join();
  return tried;
}

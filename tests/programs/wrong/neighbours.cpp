// Code that accesses several things side by side, one after the other. What of them the thread has accessed
// just before says nothing about the rest.
// EXPECT: race on bytes.second
// EXPECT: race on bytes.third
// EXPECT: race on pair.right
// EXPECT: race on sum.added
// EXPECT: race on mixed.right
// EXPECT: race on text
// EXPECT: race on packed.number
#include <atomic>
#include <thread>

struct alignas(8) {
  volatile char first, second, third, fourth;
} bytes;
struct alignas(8) {
  volatile int left, right;
} pair;
struct alignas(8) {
  volatile short total, added;
} sum;
struct alignas(8) {
  volatile short written, left, right;
} mixed;
alignas(8) volatile char text[16];
struct __attribute__((packed)) Packed {
  char before[5];
  volatile long number;
  volatile char after;
};
alignas(8) Packed packed;

std::atomic<int> turn = 0;  // orders nothing

void wait_for(int number) {
  while (turn.load(std::memory_order_relaxed) != number) std::this_thread::yield();
}
void pass_on() { turn.store(turn.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

__attribute__((noinline)) void write_bytes(decltype(bytes)& to) {
  to.first = 1;
  to.fourth = 1;
  to.second = 1;
  to.third = 1;
}
__attribute__((noinline)) int read_pair(const decltype(pair)& from) { return from.left + from.right; }
__attribute__((noinline)) void add(decltype(sum)& to) { to.total = static_cast<short>(to.total + to.added); }
__attribute__((noinline)) int write_and_read() {
  mixed.written = 1;
  return mixed.left + mixed.right;
}
__attribute__((noinline)) int read_text(const volatile char* from) { return from[0] + from[1] + from[2]; }
__attribute__((noinline)) long read_packed(const Packed& from) { return from.number; }

int main() {
  std::thread first([] {
    wait_for(0);
    bytes.first = 1;
    bytes.fourth = 1;
    pair.left = 1;
    sum.total = 1;
    (void)mixed.written;
    (void)mixed.left;
    (void)text[7];
    (void)text[10];
    for (int i = 5; i < 8; ++i) (void)*(reinterpret_cast<volatile char*>(&packed) + i);
    (void)packed.after;
    write_bytes(bytes);
    (void)read_pair(pair);
    add(sum);
    (void)write_and_read();
    (void)read_text(text + 7);
    (void)read_packed(packed);
    pass_on();
  });
  std::thread second([] {
    wait_for(1);
    (void)bytes.second;
    (void)bytes.third;
    pair.right = 2;
    sum.added = 2;
    mixed.right = 2;
    text[9] = 2;
    *(reinterpret_cast<volatile char*>(&packed) + 12) = 2;
    pass_on();
  });
  first.join();
  second.join();
  return 0;
}

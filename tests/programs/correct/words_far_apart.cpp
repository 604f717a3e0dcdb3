// Words of which a thread uses many parts at different times, some of them eight megabytes apart, where the
// recorder's tables begin anew. Another thread writes them all when it has seen that the first is through.
// EXPECT: none
#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>

constexpr std::size_t kFar = std::size_t{8} << 20;
struct alignas(16) Far {
  char p[8], q[8];
  char gap[kFar - 16];
  char r[8], s[8];
  char more[kFar - 16];
  char t[8], u[8];
};
Far far;
std::mutex ours;
std::atomic<bool> used = false;

template <typename Do>
void each(Do act) {
  for (char* bytes : {far.p, far.q, far.r, far.s, far.t, far.u}) act(bytes);
  ours.lock();
  ours.unlock();
}

void use() {
  volatile int sum = 0;
  each([&](char* bytes) { sum = sum + bytes[0]; });
  each([](char* bytes) { bytes[1] = 1; });
  each([&](char* bytes) { sum = sum + bytes[2]; });
  each([](char* bytes) { bytes[3] = 1; });
  each([&](char* bytes) { sum = sum + bytes[4]; });
  each([](char* bytes) { bytes[5] = 1; });
  used.store(true, std::memory_order_release);
}

int main() {
  std::thread user(use);
  while (!used.load(std::memory_order_acquire)) std::this_thread::yield();
  far.p[0] = 2;
  far.p[1] = 2;
  far.p[2] = 2;
  far.p[3] = 2;
  far.p[4] = 2;
  far.p[5] = 2;
  far.q[0] = 2;
  far.q[1] = 2;
  far.q[2] = 2;
  far.q[3] = 2;
  far.q[4] = 2;
  far.q[5] = 2;
  far.r[0] = 2;
  far.r[1] = 2;
  far.r[2] = 2;
  far.r[3] = 2;
  far.r[4] = 2;
  far.r[5] = 2;
  far.s[0] = 2;
  far.s[1] = 2;
  far.s[2] = 2;
  far.s[3] = 2;
  far.s[4] = 2;
  far.s[5] = 2;
  far.t[0] = 2;
  far.t[1] = 2;
  far.t[2] = 2;
  far.t[3] = 2;
  far.t[4] = 2;
  far.t[5] = 2;
  far.u[0] = 2;
  far.u[1] = 2;
  far.u[2] = 2;
  far.u[3] = 2;
  far.u[4] = 2;
  far.u[5] = 2;
  user.join();
  return 0;
}

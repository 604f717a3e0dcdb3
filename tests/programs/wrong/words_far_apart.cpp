// Words of which a thread uses many parts at different times, some of them eight megabytes apart, where the
// recorder's tables begin anew. Another thread writes them all at that moment: none of the accesses may be
// forgotten over those to words far away.
// EXPECT: race on far.p[0]
// EXPECT: race on far.p[1]
// EXPECT: race on far.p[2]
// EXPECT: race on far.p[3]
// EXPECT: race on far.p[4]
// EXPECT: race on far.p[5]
// EXPECT: race on far.q[0]
// EXPECT: race on far.q[1]
// EXPECT: race on far.q[2]
// EXPECT: race on far.q[3]
// EXPECT: race on far.q[4]
// EXPECT: race on far.q[5]
// EXPECT: race on far.r[0]
// EXPECT: race on far.r[1]
// EXPECT: race on far.r[2]
// EXPECT: race on far.r[3]
// EXPECT: race on far.r[4]
// EXPECT: race on far.r[5]
// EXPECT: race on far.s[0]
// EXPECT: race on far.s[1]
// EXPECT: race on far.s[2]
// EXPECT: race on far.s[3]
// EXPECT: race on far.s[4]
// EXPECT: race on far.s[5]
// EXPECT: race on far.t[0]
// EXPECT: race on far.t[1]
// EXPECT: race on far.t[2]
// EXPECT: race on far.t[3]
// EXPECT: race on far.t[4]
// EXPECT: race on far.t[5]
// EXPECT: race on far.u[0]
// EXPECT: race on far.u[1]
// EXPECT: race on far.u[2]
// EXPECT: race on far.u[3]
// EXPECT: race on far.u[4]
// EXPECT: race on far.u[5]
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
std::atomic<bool> used = false;  // orders nothing

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
  used.store(true, std::memory_order_relaxed);
}

int main() {
  std::thread user(use);
  while (!used.load(std::memory_order_relaxed)) std::this_thread::yield();
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

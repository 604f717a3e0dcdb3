// The system's random numbers: in a controlled run they come from the seed, so that it is the same run again.
#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

#include "runtime/intercept.h"
#include "runtime/run_random.h"

RAVEL_REAL(getrandom)
RAVEL_REAL(getentropy)
RAVEL_REAL_TYPED(_ZNSt13random_device9_M_getvalEv, unsigned (*)(void*))

using namespace ravel::rt;

RAVEL_INTERCEPT(ssize_t, getrandom, void* to, std::size_t bytes, unsigned flags) {
  if (!fill_randomly(to, bytes)) return real_getrandom()(to, bytes, flags);
  return static_cast<ssize_t>(bytes);
}
RAVEL_INTERCEPT(int, getentropy, void* to, std::size_t bytes) {
  constexpr std::size_t kMost = 256;
  if (bytes > kMost || !fill_randomly(to, bytes)) return real_getentropy()(to, bytes);
  return 0;
}
/// What std::random_device gives.
RAVEL_INTERCEPT(unsigned, _ZNSt13random_device9_M_getvalEv, void* device) {
  unsigned value = 0;
  return fill_randomly(&value, sizeof value) ? value : real__ZNSt13random_device9_M_getvalEv()(device);
}

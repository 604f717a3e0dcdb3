#include "runtime/processors.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/intercept.h"

RAVEL_REAL_TYPED(sched_getaffinity, int (*)(pid_t, std::size_t, cpu_set_t*))
RAVEL_REAL_TYPED(pthread_getaffinity_np, int (*)(pthread_t, std::size_t, cpu_set_t*))
RAVEL_REAL_TYPED(sysconf, long (*)(int))
RAVEL_REAL_TYPED(get_nprocs, int (*)())

namespace ravel::rt {
namespace {

constexpr std::size_t kMaskWords = 128;  // 8192 processors
constinit unsigned long own_mask[kMaskWords] = {};
constinit long own_bytes = 0;  ///< of the mask; 0: not changed
constinit unsigned long one_mask[kMaskWords] = {};

long count_bits() {
  long count = 0;
  for (long i = 0; i < own_bytes / static_cast<long>(sizeof(long)); ++i)
    count += __builtin_popcountl(own_mask[i]);
  return count;
}

/// Copies the mask as the program had it.
bool show_mask(std::size_t bytes, void* to) {
  if (own_bytes == 0) return false;
  auto* const out = static_cast<unsigned char*>(to);
  const auto* const in = reinterpret_cast<const unsigned char*>(own_mask);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = i < static_cast<std::size_t>(own_bytes) ? in[i] : 0;
  return true;
}

}  // namespace

void use_one_processor() {
  const long bytes = system_call(SYS_sched_getaffinity, 0, sizeof own_mask, reinterpret_cast<long>(own_mask));
  if (bytes <= 0) return;
  own_bytes = bytes;
  const long processors = count_bits();
  if (processors < 2) return;
  // Runs that are made side by side shall not all meet on the same one.
  long skip = static_cast<long>(process_id()) % processors;
  for (std::size_t bit = 0; bit < kMaskWords * 64; ++bit) {
    if ((own_mask[bit / 64] >> (bit % 64) & 1) == 0 || skip-- > 0) continue;
    one_mask[bit / 64] = 1UL << (bit % 64);
    break;
  }
  use_one_processor_again();
}

void use_all_processors() {
  if (own_bytes != 0) system_call(SYS_sched_setaffinity, 0, own_bytes, reinterpret_cast<long>(own_mask));
}

void use_one_processor_again() {
  if (own_bytes != 0 && count_bits() > 1)
    system_call(SYS_sched_setaffinity, 0, own_bytes, reinterpret_cast<long>(one_mask));
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, sched_getaffinity, pid_t process, std::size_t bytes, cpu_set_t* mask) {
  const int result = real_sched_getaffinity()(process, bytes, mask);
  if (result == 0) show_mask(bytes, mask);
  return result;
}
RAVEL_INTERCEPT(int, pthread_getaffinity_np, pthread_t thread, std::size_t bytes, cpu_set_t* mask) {
  const int result = real_pthread_getaffinity_np()(thread, bytes, mask);
  if (result == 0) show_mask(bytes, mask);
  return result;
}
RAVEL_INTERCEPT(int, get_nprocs, void) {
  return own_bytes != 0 ? static_cast<int>(count_bits()) : real_get_nprocs()();
}
RAVEL_INTERCEPT(long, sysconf, int name) {
  return name == _SC_NPROCESSORS_ONLN && own_bytes != 0 ? count_bits() : real_sysconf()(name);
}

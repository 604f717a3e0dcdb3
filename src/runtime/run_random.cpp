#include "runtime/run_random.h"

#include "runtime/seat.h"
#include "schedule/random_numbers.h"

namespace ravel::rt {
namespace {

constinit bool random_is_virtual = false;
constinit RandomNumbers numbers(0);

}  // namespace

void start_run_random(bool is_virtual, std::uint64_t seed) {
  random_is_virtual = is_virtual;
  numbers = RandomNumbers(~seed);  // others than the strategy's
}

bool fill_randomly(void* to, std::size_t bytes) {
  if (!random_is_virtual) return false;
  const Guarded guarded;
  auto* const out = static_cast<unsigned char*>(to);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) value = numbers.next();
    out[i] = static_cast<unsigned char>(value >> (i % 8 * 8));
  }
  return true;
}

}  // namespace ravel::rt

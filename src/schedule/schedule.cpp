#include "schedule/schedule.h"

namespace ravel {
namespace {

template <typename T>
bool same(std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a.data()[i] == b.data()[i])) return false;
  }
  return true;
}

}  // namespace

bool ForkPath::well_formed() const {
  if (text.empty() || text.front() != '0') return false;
  if (text.size() == 1) return true;
  std::size_t at = 1;
  while (at < text.size()) {
    if (text[at] != '.') return false;
    const std::size_t first = ++at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    if (at == first || (text[first] == '0' && at - first > 1)) return false;
  }
  return true;
}

ForkPath ForkPath::child(std::uint64_t index, Arena& arena) const {
  char digits[20];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + index % 10);
    index /= 10;
  } while (index != 0);

  const std::size_t size = text.size() + 1 + count;
  char* room = arena.allocate_array<char>(size + 1);
  if (room == nullptr) return {};
  std::memcpy(room, text.data(), text.size());
  room[text.size()] = '.';
  for (std::size_t i = 0; i < count; ++i) room[text.size() + 1 + i] = digits[count - 1 - i];
  room[size] = '\0';
  return {{room, size}};
}

bool operator==(const Schedule& a, const Schedule& b) {
  return same(a.command, b.command) && a.directory == b.directory && same(a.environment, b.environment) &&
         a.input_hash == b.input_hash && a.seed == b.seed && a.strategy == b.strategy &&
         a.switch_at == b.switch_at && a.virtual_time == b.virtual_time &&
         a.virtual_random == b.virtual_random && a.start_time == b.start_time &&
         a.step_limit == b.step_limit && a.outcome == b.outcome && a.form == b.form &&
         same(a.decisions, b.decisions) && same(a.constraints, b.constraints);
}

}  // namespace ravel

#include "runtime/unit.h"

#include <string.h>

#include "runtime/intercept.h"

namespace ravel::rt {
namespace {

// Labels are copied: what the program passes may be on its stack.
constexpr std::uint32_t kMaxUnits = 1 << 14;
constexpr std::uint32_t kTable = 2 * kMaxUnits;
constexpr std::size_t kLabelBytes = 1 << 20;
constexpr std::size_t kLongestLabel = 1000;
constexpr std::uint32_t kNoUnit = UINT32_MAX;

constinit SpinLock naming;
constinit const char* labels[kMaxUnits] = {};
constinit std::uint32_t table[kTable] = {};  ///< index + 1
constinit std::uint32_t units = 0;
constinit char* texts = nullptr;
constinit std::size_t texts_used = 0;

void note_unit(std::uint32_t index) {
  char buffer[3 * kLongestLabel + 64];
  Text line(buffer, sizeof buffer);
  line.add("unit ").number(index).add(" ").word(labels[index]);
  recorder.stream.note(buffer, line.size());
}

std::uint64_t hash_of(const char* label, std::size_t length) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (std::size_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(label[i])) * 0x100000001b3ULL;
  return hash;
}

std::uint32_t unit_of(const char* label) {
  std::size_t length = strlen(label);
  if (length > kLongestLabel) length = kLongestLabel;
  const Locked lock(naming);
  std::uint32_t at = static_cast<std::uint32_t>(hash_of(label, length)) & (kTable - 1);
  for (; table[at] != 0; at = (at + 1) & (kTable - 1)) {
    const char* const known = labels[table[at] - 1];
    if (strncmp(known, label, length) == 0 && known[length] == '\0') return table[at] - 1;
  }
  if (texts == nullptr) texts = static_cast<char*>(reserve_memory(kLabelBytes));
  if (texts == nullptr || units == kMaxUnits || texts_used + length + 1 > kLabelBytes) return kNoUnit;
  char* const copy = texts + texts_used;
  for (std::size_t i = 0; i < length; ++i) copy[i] = label[i];
  texts_used += length + 1;
  labels[units] = copy;
  note_unit(units);
  table[at] = ++units;
  return units - 1;
}

void begin_unit(Thread& self, std::uint32_t unit, Pc pc) {
  if (self.units_open++ >= Thread::kMaxOpenUnits) return;
  self.open_units[self.units_open - 1] = unit;
  record_sync(self, {.kind = EventKind::UnitBegin, .target = unit, .pc = pc});
}

/// Ends with it those within it that nobody has ended: an exception or longjmp left them. One that is not
/// open stays so.
void end_unit(Thread& self, std::uint32_t unit, Pc pc) {
  if (self.units_open > Thread::kMaxOpenUnits) {
    --self.units_open;
    return;
  }
  std::uint32_t left = self.units_open;
  while (left > 0 && self.open_units[left - 1] != unit) --left;
  if (left == 0) return;
  while (self.units_open >= left)
    record_sync(self, {.kind = EventKind::UnitEnd, .target = self.open_units[--self.units_open], .pc = pc});
}

void mark(void (*act)(Thread&, std::uint32_t, Pc), const char* label, Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr || label == nullptr) return;
  const Inside inside(*self);
  const std::uint32_t unit = unit_of(label);
  if (unit != kNoUnit) act(*self, unit, pc);
}

}  // namespace

void note_units_again() {
  naming = {};
  for (std::uint32_t i = 0; i < units; ++i) note_unit(i);
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERFACE void ravel_unit_begin(const char* label) { mark(begin_unit, label, RAVEL_CALLER); }
RAVEL_INTERFACE void ravel_unit_end(const char* label) { mark(end_unit, label, RAVEL_CALLER); }

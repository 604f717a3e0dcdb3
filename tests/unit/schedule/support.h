// What the tests of schedules share: memory, and Schedules that own their parts.
#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.h"

namespace ravel {

/// Hands an Arena heap blocks of exactly the size asked for, so that the address sanitizer sees a step
/// outside.
class HeapBlocks {
 public:
  static std::span<std::byte> more(void* context, std::size_t size) {
    auto& blocks = static_cast<HeapBlocks*>(context)->blocks_;
    blocks.push_back(std::make_unique<std::byte[]>(size));
    return {blocks.back().get(), size};
  }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

/// A parsed schedule with its memory.
struct Parsed {
  explicit Parsed(std::string_view json) : error(parse_schedule(json, arena, schedule)) {}

  HeapBlocks blocks;
  Arena arena{HeapBlocks::more, &blocks};
  Schedule schedule;
  ScheduleError error;
};

inline std::string printed(const Schedule& schedule) {
  std::string text(print_schedule(schedule, std::span<char>()), '\0');
  print_schedule(schedule, std::span<char>(text));
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const Schedule& schedule) {
  return out << printed(schedule);
}

}  // namespace ravel

// Any text is either an error or a schedule that prints and parses to itself.
#include "schedule/schedule.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using ravel::Arena;
using ravel::Schedule;

struct Blocks {
  std::vector<std::unique_ptr<std::byte[]>> blocks;

  static std::span<std::byte> more(void* context, std::size_t size) {
    auto& blocks = static_cast<Blocks*>(context)->blocks;
    blocks.push_back(std::make_unique<std::byte[]>(size));
    return {blocks.back().get(), size};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Blocks blocks;
  Arena arena(Blocks::more, &blocks);
  Schedule schedule;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (!ravel::parse_schedule(json, arena, schedule).ok()) return 0;

  std::string printed(ravel::print_schedule(schedule, std::span<char>()), '\0');
  ravel::print_schedule(schedule, std::span<char>(printed));
  Schedule again;
  if (!ravel::parse_schedule(printed, arena, again).ok() || !(again == schedule)) std::abort();
  return 0;
}

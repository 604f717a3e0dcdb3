#include "cli/constraint_places.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "event/stream.h"
#include "symbol/module_symbols.h"

namespace ravel {
namespace {

/// Addresses of a program's code, as in its file.
struct Code {
  std::uint64_t low = UINT64_MAX;  ///< of the first page of the program
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
};

Result<Code> read_code(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr head{};
  Code code;
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(Elf64_Phdr))
    return fail("not a program whose lines can be looked up", program);
  file.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    if (segment.p_type != PT_LOAD) continue;
    code.low = std::min(code.low, segment.p_vaddr & ~std::uint64_t{4095});
    if ((segment.p_flags & PF_X) != 0)
      code.ranges.emplace_back(segment.p_vaddr, segment.p_vaddr + segment.p_memsz);
  }
  return code;
}

bool names_line(std::string_view place) { return !place.empty() && !place.starts_with('@'); }

/// "dir/bank.cpp:21" is meant by "bank.cpp:21", too.
bool is_meant(std::string_view place, std::string_view wanted) {
  return place == wanted || (place.ends_with(wanted) && place[place.size() - wanted.size() - 1] == '/');
}

using Addresses = std::map<std::string, std::string, std::less<>>;  ///< by place

/// Asks about every place in the code what a report would show there.
Result<void> find_addresses(const std::string& program, Addresses& wanted) {
  const auto code = read_code(program);
  if (!code) return std::unexpected(code.error());
  auto symbols = ModuleSymbols::open(program, {});
  if (!symbols) return std::unexpected(symbols.error());
  constexpr std::uint64_t kUnit = 1 << stream::kCodeShift;
  for (const auto& [begin, end] : code->ranges) {
    for (std::uint64_t at = (begin / kUnit + 1) * kUnit; at <= end; at += kUnit) {
      for (const SourceFrame& frame : (*symbols)->frames(at - 1)) {
        if (frame.line == 0 || is_system_file(frame.file)) continue;
        const std::string place = fmt::format("{}:{}", frame.file, frame.line);
        for (auto& [text, addresses] : wanted)
          if (is_meant(place, text))
            addresses += fmt::format("{}{:x}", addresses.empty() ? '@' : ',',
                                     stream::kFirstCode + (at - code->low) / kUnit);
        break;  // the frame a report shows
      }
    }
  }
  return {};
}

}  // namespace

Result<bool> resolve_places(KeptSchedule& schedule, const std::string& program) {
  Addresses addresses;
  for (const Constraint& constraint : schedule.value.constraints)
    for (const Step* const step : {&constraint.before, &constraint.after})
      if (!step->counted() && names_line(step->place)) addresses.try_emplace(std::string(step->place));
  if (addresses.empty()) return false;
  if (auto found = find_addresses(program, addresses); !found) return std::unexpected(found.error());
  for (const auto& [place, found] : addresses)
    if (found.empty()) return fail(fmt::format("no code at {}, which the schedule names", place), program);
  schedule.replace_places([&](std::string_view place) -> std::string_view {
    const auto found = addresses.find(place);
    return found == addresses.end() ? place : std::string_view(found->second);
  });
  return true;
}

}  // namespace ravel

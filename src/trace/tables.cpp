#include "trace/tables.h"

#include <fmt/format.h>

#include <utility>

namespace ravel {

const std::vector<std::string>& Tables::names(TargetSpace space) const {
  switch (space) {
    case TargetSpace::Variable:
      return variables;
    case TargetSpace::Lock:
      return locks;
    case TargetSpace::Condition:
      return conditions;
    case TargetSpace::Barrier:
      return barriers;
    case TargetSpace::Thread:
      return threads;
    case TargetSpace::Unit:
      return units;
    case TargetSpace::Range:
    case TargetSpace::None:
      break;
  }
  CHECK(false, "this space has no names");
}

std::vector<std::string>& Tables::names(TargetSpace space) {
  return const_cast<std::vector<std::string>&>(std::as_const(*this).names(space));
}

std::string Tables::name(TargetSpace space, std::uint64_t address) const {
  if (is_synthetic(address)) {
    const auto& all = names(space);
    const std::uint32_t index = synthetic_index(address);
    if (index < all.size()) return all[index];
  }
  return fmt::format("{:#x}", address);
}

std::string Tables::thread_name(ThreadId thread) const {
  return thread.index() < threads.size() ? threads[thread.index()] : fmt::format("#{}", thread.value);
}

std::string Tables::place_text(PlaceId place) const {
  return place.index() < places.size() ? places[place.index()].text() : "?";
}

}  // namespace ravel

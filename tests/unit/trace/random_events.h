// Random events that use every kind and the extremes of every field, over tables that name what they refer
// to.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "trace/tables.h"

namespace ravel::test {

inline Tables small_tables() {
  Tables tables;
  tables.threads = {"main", "T1", "T2"};
  tables.units = {"f", "g"};
  tables.places = {
      {.file = "a.cpp", .line = 7, .function = "_Z1fv"},
      {.file = "", .line = std::numeric_limits<std::uint64_t>::max(), .function = ""},
      {.file = "b.cpp", .line = 0, .function = ""},
      {.file = "/bin/p", .line = 0, .function = "", .module = ModuleId(std::size_t{0}), .offset = 0x1234},
      {.file = "/bin/p",
       .function = "",
       .module = ModuleId(std::size_t{0}),
       .offset = 4,
       .one_of_several = true}};
  tables.variables = {"x", "y", "", "x\n\xff"};
  tables.locks = {"m", "n"};
  tables.conditions = {"c"};
  tables.barriers = {"b"};
  tables.modules = {{.path = "/bin/p", .build_id = "00ff", .base = 0x400000, .bias = 0, .size = 0x1000}};
  tables.stacks = {{StackId(), PlaceId(std::size_t{3})},
                   {StackId(std::size_t{0}), PlaceId()},
                   {StackId(std::size_t{1}), PlaceId(std::size_t{0})}};
  return tables;
}

/// Small numbers, all bit widths, and the largest.
inline rc::Gen<std::uint64_t> any_number() {
  return rc::gen::oneOf(
      rc::gen::inRange<std::uint64_t>(0, 20),
      rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(0, 64)),
                   [](const std::pair<std::uint64_t, int>& bits) { return bits.first << bits.second; }),
      rc::gen::map(rc::gen::inRange<std::uint64_t>(0, 3),
                   [](std::uint64_t down) { return std::numeric_limits<std::uint64_t>::max() - down; }));
}

inline std::uint64_t any_target(EventKind kind, const Tables& tables) {
  const TargetSpace space = target_space(kind);
  const auto index = [](std::size_t size) { return *rc::gen::inRange<std::uint64_t>(0, size); };
  switch (space) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      if (*rc::gen::arbitrary<bool>())
        return *any_number() & (std::numeric_limits<std::uint64_t>::max() >> 1);
      return synthetic_address(space, static_cast<std::uint32_t>(index(tables.names(space).size())));
    case TargetSpace::Thread:
      return index(tables.threads.size());
    case TargetSpace::Unit:
      return *rc::gen::arbitrary<bool>() ? index(tables.units.size()) : UnitId::kNone;
    case TargetSpace::Range:
    case TargetSpace::None:
      break;
  }
  return *any_number();
}

inline Event any_event(const Tables& tables) {
  Event event;
  event.kind = static_cast<EventKind>(*rc::gen::inRange(0, kEventKindCount));
  event.order = static_cast<MemoryOrder>(*rc::gen::inRange(0, static_cast<int>(MemoryOrder::SeqCst) + 1));
  event.has_value = *rc::gen::arbitrary<bool>();
  event.thread =
      ThreadId(*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(tables.threads.size())));
  event.target = any_target(event.kind, tables);
  event.value = *any_number();
  if (event.kind == EventKind::ObjectBegin)
    event.value = *rc::gen::inRange<std::uint64_t>(0, tables.units.size());
  const auto places = static_cast<std::uint32_t>(tables.places.size());
  const auto place = *rc::gen::inRange<std::uint32_t>(0, places + 1);
  if (place < places) event.place = PlaceId(place);
  event.width = static_cast<std::uint32_t>(*any_number());
  event.ordinal = *rc::gen::arbitrary<bool>() ? static_cast<std::uint32_t>(*any_number()) : 0;
  const auto stacks = static_cast<std::uint32_t>(tables.stacks.size());
  const auto stack = *rc::gen::inRange<std::uint32_t>(0, stacks + 1);
  if (stack < stacks) event.stack = StackId(stack);
  return event;
}

inline std::vector<Event> any_events(const Tables& tables, std::size_t most) {
  const auto count = *rc::gen::inRange<std::size_t>(0, most + 1);
  std::vector<Event> events;
  for (std::size_t i = 0; i < count; ++i) {
    // Repetition is what the format lives on, so it must be tested, too.
    Event event = i > 0 && *rc::gen::inRange(0, 3) == 0 ? events[*rc::gen::inRange<std::size_t>(0, i)]
                                                        : any_event(tables);
    event.position = i + 1;
    events.push_back(event);
  }
  return events;
}

}  // namespace ravel::test

#include "schedule/strategy.h"

#include "schedule/strategies.h"

namespace ravel {
namespace {

struct Entry {
  std::string_view name;
  Strategy* (*make)(const Schedule&, Arena&);
};

constexpr Entry kStrategies[] = {
#define X(name, make) {name, make},
    RAVEL_STRATEGIES(X)
#undef X
};

Strategy* make_named(const Schedule& schedule, Arena& arena) {
  if (schedule.strategy.empty()) return kStrategies[0].make(schedule, arena);
  for (const Entry& entry : kStrategies) {
    if (entry.name == schedule.strategy) return entry.make(schedule, arena);
  }
  return nullptr;
}

}  // namespace

const std::string_view kStrategyNames[] = {
#define X(name, make) name,
    RAVEL_STRATEGIES(X)
#undef X
        ""};

Strategy* make_strategy(const Schedule& schedule, Arena& arena) {
  Strategy* strategy = make_named(schedule, arena);
  if (strategy == nullptr) return nullptr;
  if (!schedule.decisions.empty()) return follow_decisions(schedule, *strategy, arena);
  if (!schedule.constraints.empty()) return follow_constraints(schedule, *strategy, arena);
  return strategy;
}

}  // namespace ravel

// Findings to JSON.
#include <nlohmann/json.hpp>

#include "report/printer.h"

namespace ravel {
namespace {

using OrderedJson = nlohmann::ordered_json;  // keys in the order in which a reader wants to see them

OrderedJson to_json(const Evidence& evidence) {
  return {{"analysis", evidence.analysis},   {"verdict", to_string(evidence.verdict)},
          {"scope", evidence.scope},         {"events", evidence.events},
          {"guarantee", evidence.guarantee}, {"schedule", evidence.schedule}};
}

OrderedJson to_json(const FindingStep& step) {
  return {{"thread", step.thread}, {"place", step.place}, {"operation", step.operation},
          {"object", step.object}, {"locks", step.locks}, {"value", step.value},
          {"event", step.event}};
}

OrderedJson to_json(const Frame& frame) { return {{"function", frame.function}, {"place", frame.place}}; }

template <typename T>
OrderedJson to_json(const std::vector<T>& values) {
  OrderedJson array = OrderedJson::array();
  for (const T& value : values) array.push_back(to_json(value));
  return array;
}

OrderedJson to_json(const Finding& finding) {
  return {{"id", finding.id},
          {"kind", to_string(finding.kind)},
          {"verdict", to_string(finding.verdict())},
          {"analysis", finding.analysis()},
          {"evidence", to_json(finding.evidence)},
          {"object", finding.object},
          {"pattern", finding.pattern},
          {"unit", finding.unit},
          {"events", finding.events},
          {"threads", finding.threads},
          {"places", finding.places},
          {"steps", to_json(finding.steps)},
          {"stacks", to_json(finding.stacks)},
          {"benign", finding.benign},
          {"outcome", finding.outcome},
          {"message", finding.message},
          {"occurrences", finding.occurrences}};
}

}  // namespace

std::string print_json(std::span<const Finding> findings, std::optional<int> target_exit) {
  OrderedJson report = {{"version", kFindingsVersion}, {"findings", OrderedJson::array()}};
  if (target_exit) report["target_exit"] = *target_exit;
  for (const Finding& finding : findings) report["findings"].push_back(to_json(finding));
  // Names come from the user's program and need not be UTF-8; JSON must be.
  return report.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace ravel

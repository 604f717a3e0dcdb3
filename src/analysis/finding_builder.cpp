#include "analysis/finding_builder.h"

#include <fmt/format.h>

#include <functional>

#include "report/fingerprint.h"

namespace ravel {

FindingBuilder::Key FindingBuilder::key(const Detection& detection) const {
  Key key;
  // Named variables are different objects; blocks of memory are told apart by the places that access them.
  if (detection.variable.valid()) {
    const std::uint64_t address = resolver_->variables().address(detection.variable);
    if (is_synthetic(address)) key.object = address;
  }
  const auto mix = [&key](std::uint64_t value) {
    key.accesses = (key.accesses ^ value) * 0x9e3779b97f4a7c15ULL;
    key.accesses ^= key.accesses >> 29;
  };
  mix(std::hash<std::string_view>{}(detection.analysis));
  mix(static_cast<std::uint64_t>(detection.kind) << 8 | static_cast<std::uint64_t>(detection.verdict));
  for (const Involved& event : detection.events)
    mix(std::uint64_t{event.place.value} << 8 | static_cast<int>(event.kind));
  return key;
}

void FindingBuilder::begin(const Resolver& ids) {
  resolver_ = &ids;
  seen_.clear();  // places stay, but an analysis may report in a later pass what it could not tell in an
                  // earlier one
}

void FindingBuilder::report(const Detection& detection) {
  const auto [entry, fresh] = seen_.try_emplace(key(detection), findings_.size());
  if (fresh)
    findings_.push_back(build(detection));
  else
    ++findings_[entry->second].occurrences;
}

FindingStep FindingBuilder::step(const Involved& event, const std::string& object) const {
  const Tables& tables = trace_.tables();
  FindingStep step;
  step.thread = tables.thread_name(event.thread);
  step.place = tables.place_text(event.place);
  step.operation = operation_text(event.kind);
  step.object = object;
  step.event = event.position;
  for (const HeldLock& held : resolver_->locksets().locks(event.held)) {
    step.locks.push_back(resolver_->lock_name(held.lock, tables));
    if (held.shared) step.locks.back() += " (shared)";
  }
  return step;
}

Finding FindingBuilder::build(const Detection& detection) const {
  Finding finding;
  finding.kind = detection.kind;
  if (detection.variable.valid())
    finding.object = resolver_->variables().name(detection.variable, trace_.tables());
  std::vector<FingerprintPart> parts;
  for (const Involved& event : detection.events) {
    finding.steps.push_back(step(event, finding.object));
    finding.events.push_back(event.position);
    finding.threads.push_back(finding.steps.back().thread);
    finding.places.push_back(finding.steps.back().place);
    const bool known = event.place.index() < trace_.tables().places.size();
    const Place place = known ? trace_.tables().places[event.place.index()] : Place{};
    parts.push_back(fingerprint_part(place, event.kind, sources_, 0));
  }
  finding.id = fingerprint(finding.kind, finding.object, parts);
  finding.evidence.push_back({.analysis = std::string(detection.analysis),
                              .verdict = detection.verdict,
                              .scope = trace_.path(),
                              .events = finding.events,
                              .guarantee = std::string(detection.guarantee),
                              .schedule = {}});
  finding.message = detection.message;
  if (finding.message.empty() && finding.steps.size() == 2) {
    finding.message = fmt::format("{} of {} by thread {} and {} by thread {} at {} are not ordered",
                                  finding.steps[0].operation, finding.object, finding.threads[0],
                                  finding.steps[1].operation, finding.threads[1], finding.places[1]);
  }
  return finding;
}

std::vector<Finding> FindingBuilder::take() {
  seen_.clear();
  return std::exchange(findings_, {});
}

}  // namespace ravel

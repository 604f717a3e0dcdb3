#include "analysis/finding_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

namespace ravel {

FindingBuilder::Key FindingBuilder::key(const Detection& detection) {
  Key key;
  // Named variables are different objects; blocks of memory are told apart by the places that access them.
  if (detection.variable.valid()) {
    const std::uint64_t where = address(detection);
    if (is_synthetic(where)) key.object = where;
    if (find_benign(where) != nullptr) key.object = ~key.object;
  }
  for (const LockId lock : detection.locks) {
    const std::uint64_t address = resolver_->lock_address(lock);
    if (is_synthetic(address)) key.object = key.object * 31 + address;
  }
  const auto mix = [&key](std::uint64_t value) {
    key.accesses = (key.accesses ^ value) * 0x9e3779b97f4a7c15ULL;
    key.accesses ^= key.accesses >> 29;
  };
  mix(std::hash<std::string_view>{}(detection.analysis));
  mix(static_cast<std::uint64_t>(detection.kind) << 8 | static_cast<std::uint64_t>(detection.verdict));
  for (const Involved& event : detection.events) {
    const PlaceId place = has_modules() ? names_.shown_place(event.place, event.stack) : event.place;
    mix(std::uint64_t{place.value} << 8 | static_cast<int>(event.kind));
  }
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

std::uint64_t FindingBuilder::address(const Detection& detection) const {
  return detection.address ? *detection.address : resolver_->variables().address(detection.variable);
}

FindingBuilder::Object FindingBuilder::object(const Detection& detection) {
  const std::uint64_t where = address(detection);
  std::string name = trace_.tables().name(TargetSpace::Variable, where);
  if (!has_modules() || is_synthetic(where)) return {.name = name, .canonical = name};
  if (const auto data = names_.data(where)) return {.name = data->name, .canonical = canonical_object(*data)};
  const std::uint64_t position = detection.events.empty() ? 0 : detection.events.back().position;
  const auto block = resolver_->blocks().find(where, position);
  const SourceFrame* const by = block ? names_.shown(block->place, block->stack) : nullptr;
  if (by == nullptr) return {.name = std::move(name), .canonical = {}};  // addresses differ from run to run
  return {.name = fmt::format("byte {} of {} allocated by {} at {}", where - block->begin, block->size,
                              by->function.empty() ? "?" : by->function, place_text(*by)),
          .canonical = by->linkage_name};
}

FindingBuilder::Object FindingBuilder::object(LockId lock) {
  const std::uint64_t address = resolver_->lock_address(lock);
  const bool named = !has_modules() || is_synthetic(address);
  if (!named) {
    if (const auto data = names_.data(address))
      return {.name = data->name, .canonical = canonical_object(*data)};
  }
  const std::string name = resolver_->lock_name(lock, trace_.tables());
  return {.name = name, .canonical = named ? name : std::string()};
}

FindingBuilder::Object FindingBuilder::object(std::span<const LockId> locks) {
  std::set<std::string> names;
  std::set<std::string> canonical;
  for (const LockId lock : locks) {
    const Object one = object(lock);
    names.insert(one.name);
    if (!one.canonical.empty()) canonical.insert(one.canonical);
  }
  return {.name = fmt::format("{}", fmt::join(names, ", ")),
          .canonical = fmt::format("{}", fmt::join(canonical, ","))};
}

FindingStep FindingBuilder::step(const Involved& event, const std::string& object) {
  const Tables& tables = trace_.tables();
  FindingStep step;
  step.thread = tables.thread_name(event.thread);
  const SourceFrame* const shown = has_modules() ? names_.shown(event.place, event.stack) : nullptr;
  step.place = shown != nullptr ? place_text(*shown) : tables.place_text(event.place);
  step.operation = operation_text(event.kind);
  step.object = object;
  step.event = event.position;
  // An access that was reported very late.
  if (!event.held.valid()) {
    step.locks.emplace_back("?");
    return step;
  }
  for (const HeldLock& held : resolver_->locksets().locks(event.held)) {
    step.locks.push_back(lock_name(held.lock));
    if (held.shared) step.locks.back() += " (shared)";
  }
  return step;
}

FingerprintPart FindingBuilder::part(const Involved& event) {
  if (has_modules()) {
    const SourceFrame* const shown = names_.shown(event.place, event.stack);
    if (shown == nullptr) return fingerprint_part(Place{}, event.kind, sources_, 0);
    Place place;
    place.file = shown->file;
    place.line = shown->line;
    place.function = shown->linkage_name;
    return fingerprint_part(place, event.kind, sources_, shown->function_line);
  }
  const bool known = event.place.index() < trace_.tables().places.size();
  const Place place = known ? trace_.tables().places[event.place.index()] : Place{};
  return fingerprint_part(place, event.kind, sources_, 0);
}

std::vector<Frame> FindingBuilder::stack(const Involved& event) {
  std::vector<Frame> stack;
  for (const SourceFrame& frame : names_.frames(event.place, event.stack))
    stack.push_back({.function = frame.function.empty() ? "?" : frame.function, .place = place_text(frame)});
  // Behind main and the functions of threads are those of libraries without names: nobody misses them.
  while (stack.size() > 1 && stack.back().function == "?") stack.pop_back();
  return stack;
}

std::string FindingBuilder::unseen_library(const Involved& event) const {
  const Tables& tables = trace_.tables();
  const std::vector<std::string>& unseen = trace_.header().unseen_libraries;
  if (unseen.empty()) return {};
  // Nobody knows who had called it.
  if (!event.stack.valid()) return unseen.front();
  for (StackId at = event.stack; at.valid() && at.index() < tables.stacks.size();
       at = tables.stacks[at.index()].parent) {
    const PlaceId call = tables.stacks[at.index()].call;
    if (call.index() >= tables.places.size()) continue;
    const ModuleId module = tables.places[call.index()].module;
    if (!module.valid() || module.index() >= tables.modules.size()) continue;
    const std::string name = std::filesystem::path(tables.modules[module.index()].path).filename().string();
    if (std::ranges::find(unseen, name) != unseen.end()) return name;
  }
  return {};
}

bool FindingBuilder::is_one_of_several(const Involved& event) const {
  const std::vector<Place>& places = trace_.tables().places;
  return event.place.index() < places.size() && places[event.place.index()].one_of_several;
}

const BenignRange* FindingBuilder::find_benign(std::uint64_t address) const {
  for (const BenignRange& range : trace_.tables().benign)
    if (address - range.begin < range.bytes) return &range;
  return nullptr;
}

Finding FindingBuilder::build(const Detection& detection) {
  Finding finding;
  finding.kind = detection.kind;
  Object about;
  if (detection.variable.valid())
    about = object(detection);
  else if (!detection.locks.empty())
    about = object(detection.locks);
  finding.object = about.name;
  if (detection.variable.valid())
    if (const auto* const range = find_benign(address(detection)))
      finding.benign =
          fmt::format("the program says so{}{}", range->reason.empty() ? "" : ": ", range->reason);
  std::vector<FingerprintPart> parts;
  for (std::size_t i = 0; i < detection.events.size(); ++i) {
    const Involved& event = detection.events[i];
    const bool of_lock = i < detection.locks.size();
    finding.steps.push_back(step(event, of_lock ? lock_name(detection.locks[i]) : finding.object));
    finding.events.push_back(event.position);
    finding.threads.push_back(finding.steps.back().thread);
    finding.places.push_back(finding.steps.back().place);
    if (has_modules()) finding.stacks.push_back(stack(event));
    parts.push_back(part(event));
  }
  finding.id = fingerprint(finding.kind, about.canonical, parts);
  std::string unseen;
  for (const Involved& event : detection.events)
    if (unseen.empty()) unseen = unseen_library(event);
  finding.evidence.push_back({.analysis = std::string(detection.analysis),
                              .verdict = unseen.empty() ? detection.verdict : Verdict::Suspected,
                              .scope = trace_.path(),
                              .events = finding.events,
                              .guarantee = unseen.empty() ? std::string(detection.guarantee) : std::string(),
                              .schedule = {}});
  finding.message = message(detection, finding);
  for (const Involved& event : detection.events) {
    if (is_one_of_several(event))
      finding.message += fmt::format("; thread {} was at several places then, one of them is shown",
                                     trace_.tables().thread_name(event.thread));
  }
  if (detection.or_deadlock) finding.message += "; if they cannot meet, another order of the run deadlocks";
  if (!unseen.empty())
    finding.message += fmt::format("; {} may order them: its synchronization is not seen", unseen);
  return finding;
}

std::string FindingBuilder::message(const Detection& detection, const Finding& finding) const {
  if (!detection.message.empty()) return std::string(detection.message);
  const std::vector<FindingStep>& steps = finding.steps;
  if (finding.kind == FindingKind::Deadlock) {
    std::vector<std::string> waits;
    for (std::size_t i = 0; i + 1 < steps.size(); i += 2)
      waits.push_back(fmt::format("thread {} holds {} and waits for {}", steps[i].thread, steps[i].object,
                                  steps[i + 1].object));
    return fmt::format("{}", fmt::join(waits, ", "));
  }
  if (steps.size() != 2) return {};
  return fmt::format("{} of {} by thread {} and {} by thread {} at {} are not ordered", steps[0].operation,
                     finding.object, finding.threads[0], steps[1].operation, finding.threads[1],
                     finding.places[1]);
}

std::vector<Finding> FindingBuilder::take() {
  seen_.clear();
  return std::exchange(findings_, {});
}

}  // namespace ravel

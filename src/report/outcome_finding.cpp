#include "report/outcome_finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "event/operation_kind.h"
#include "report/fingerprint.h"
#include "symbol/trace_names.h"

namespace ravel {
namespace {

using Claim = RunOutcome::Claim;

bool is(const Claim& claim, OperationKind kind) { return claim.operation == operation_text(kind); }

std::string_view guarantee(FindingKind kind) {
  switch (kind) {
    case FindingKind::Deadlock:
      return "no thread of the run could go on";
    case FindingKind::LostWakeup:
      return "no thread of the run was left to wake those that wait";
    default:
      return "the threads of the run went on without end";
  }
}

class OutcomeWriter {
 public:
  OutcomeWriter(const RunOutcome& outcome, const Tables& tables, SourceLines& sources)
      : outcome_(outcome), tables_(tables), names_(tables), sources_(sources) {}

  Finding write(FindingKind kind, const std::string& scope, const std::string& schedule) {
    finding_.kind = kind;
    std::vector<std::string> messages;
    for (const Claim& wait : outcome_.waiting) {
      for (const Claim& held : outcome_.holding)
        if (held.thread == wait.thread) add_step(held, "acquire", EventKind::Acquire);
      add_step(wait, wait.operation, EventKind::Request);
      messages.push_back(message(wait));
    }
    finding_.message = fmt::format("{}", fmt::join(messages, "; "));
    if (messages.empty()) finding_.message = fmt::format("no thread gets any further");
    finding_.object = fmt::format("{}", fmt::join(objects_, ", "));
    finding_.outcome = fmt::format("{} after {} steps", outcome_.kind, outcome_.step);
    finding_.id = fingerprint(kind, fmt::format("{}", fmt::join(canonical_objects_, ",")), parts_);
    finding_.evidence.push_back({.analysis = "schedule",
                                 .verdict = Verdict::Failing,
                                 .scope = scope,
                                 .events = finding_.events,
                                 .guarantee = std::string(guarantee(kind)),
                                 .schedule = schedule});
    return std::move(finding_);
  }

 private:
  /// An address has no name if it is on a stack or the heap.
  std::string object(std::uint64_t address) {
    if (const auto data = names_.data(address)) return data->name;
    return fmt::format("{:#x}", address);
  }

  std::string place(const Claim& claim) {
    const SourceFrame* const shown = names_.shown(claim.place, claim.stack);
    return shown != nullptr ? place_text(*shown) : tables_.place_text(claim.place);
  }

  void add_step(const Claim& claim, std::string_view operation, EventKind access) {
    FindingStep step;
    step.thread = tables_.thread_name(claim.thread);
    step.place = place(claim);
    step.operation = operation;
    step.event = claim.event;
    if (claim.object != 0) {
      step.object = object(claim.object);
      objects_.insert(step.object);
      if (const auto data = names_.data(claim.object)) canonical_objects_.insert(canonical_object(*data));
    }
    if (access == EventKind::Request)
      for (const Claim& held : outcome_.holding)
        if (held.thread == claim.thread) step.locks.push_back(object(held.object));
    finding_.threads.push_back(step.thread);
    finding_.places.push_back(step.place);
    if (claim.event != 0) {
      finding_.events.push_back(claim.event);
      finding_.stacks.push_back(stack(claim));
    }
    finding_.steps.push_back(std::move(step));
    add_part(claim, access);
  }

  void add_part(const Claim& claim, EventKind access) {
    const SourceFrame* const shown = names_.shown(claim.place, claim.stack);
    Place place;
    if (shown != nullptr) {
      place.file = shown->file;
      place.line = shown->line;
      place.function = shown->linkage_name;
    }
    parts_.push_back(fingerprint_part(place, access, sources_, shown != nullptr ? shown->function_line : 0));
  }

  std::vector<Frame> stack(const Claim& claim) {
    std::vector<Frame> stack;
    for (const SourceFrame& frame : names_.frames(claim.place, claim.stack))
      stack.push_back(
          {.function = frame.function.empty() ? "?" : frame.function, .place = place_text(frame)});
    while (stack.size() > 1 && stack.back().function == "?") stack.pop_back();
    return stack;
  }

  /// "thread T1 waits for b, which thread T2 has held since bank.cpp:10"
  std::string message(const Claim& wait) {
    std::string text =
        fmt::format("thread {} {} at {}", tables_.thread_name(wait.thread), what_for(wait), place(wait));
    for (const Claim& held : outcome_.holding) {
      if (held.object != wait.object || held.object == 0) continue;
      const std::string holder =
          held.thread == wait.thread ? "itself" : fmt::format("thread {}", tables_.thread_name(held.thread));
      return text + fmt::format(", held by {} since {}", holder, place(held));
    }
    return text;
  }

  std::string what_for(const Claim& wait) {
    const std::string name = wait.object != 0 ? object(wait.object) : "";
    if (is(wait, OperationKind::Wait)) return fmt::format("waits for a notification of {}", name);
    if (is(wait, OperationKind::BarrierWait)) return fmt::format("waits at the barrier {}", name);
    if (is(wait, OperationKind::SemaphoreWait)) return fmt::format("waits for the semaphore {}", name);
    if (is(wait, OperationKind::Join)) return "waits for the end of a thread";
    if (is(wait, OperationKind::Block)) return "waits for input or output";
    if (name.empty()) return fmt::format("is about to {}", wait.operation);
    return fmt::format("waits for {}", name);
  }

  const RunOutcome& outcome_;
  const Tables& tables_;
  TraceNames names_;
  SourceLines& sources_;
  Finding finding_;
  std::set<std::string> objects_;
  std::set<std::string> canonical_objects_;
  std::vector<FingerprintPart> parts_;
};

}  // namespace

std::optional<Finding> outcome_finding(const RunOutcome& outcome, const Tables& tables,
                                       const std::string& scope, const std::string& schedule,
                                       SourceLines& sources) {
  const auto kind = finding_kind_from(outcome.kind);
  if (!kind) return std::nullopt;
  return OutcomeWriter(outcome, tables, sources).write(*kind, scope, schedule);
}

}  // namespace ravel

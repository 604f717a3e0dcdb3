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

std::string guarantee(FindingKind kind) {
  switch (kind) {
    case FindingKind::Deadlock:
      return "no thread of the run could go on";
    case FindingKind::LostWakeup:
      return "no thread of the run was left to wake those that wait";
    default:
      return fmt::format("for {} steps no thread changed what another one could look at", kLivelockSteps);
  }
}

class OutcomeWriter {
 public:
  OutcomeWriter(const RunOutcome& outcome, const Tables& tables, SourceLines& sources)
      : outcome_(outcome), tables_(tables), names_(tables), sources_(sources) {}

  Finding write(FindingKind kind, const std::string& scope, const std::string& schedule) {
    finding_.kind = kind;
    const std::vector<Claim> causes = find_causes();
    std::vector<std::string> messages;
    for (const Claim& wait : causes) {
      for (const Claim& held : outcome_.holding)
        if (held.thread == wait.thread && (kind != FindingKind::Deadlock || is_wanted(held, causes)))
          add_step(held, "acquire", EventKind::Acquire);
      add_step(wait, wait.operation, EventKind::Request);
      messages.push_back(message(wait));
    }
    if (kind == FindingKind::Livelock) messages.insert(messages.begin(), "no thread gets any further");
    if (const std::size_t others = outcome_.waiting.size() - causes.size(); others > 0)
      messages.push_back(fmt::format("{} more thread{}", others, others == 1 ? " waits" : "s wait"));
    finding_.message = fmt::format("{}", fmt::join(messages, "; "));
    finding_.object = fmt::format("{}", fmt::join(objects_, ", "));
    finding_.outcome = fmt::format("{} after {} steps", outcome_.kind, outcome_.step);
    finding_.id = fingerprint(kind, fmt::format("{}", fmt::join(canonical_objects_, ",")), parts_);
    finding_.evidence.push_back({.analysis = "schedule",
                                 .verdict = Verdict::Failing,
                                 .scope = scope,
                                 .events = finding_.events,
                                 .guarantee = guarantee(kind),
                                 .schedule = schedule});
    return std::move(finding_);
  }

 private:
  const Claim* holder_of(const Claim& wait) const {
    if (is(wait, OperationKind::Join)) return nullptr;
    const auto found = std::ranges::find(outcome_.holding, wait.object, &Claim::object);
    return found != outcome_.holding.end() ? &*found : nullptr;
  }

  /// Those that wait for a lock that another one has; if there are none, all.
  std::vector<Claim> find_causes() const {
    std::vector<Claim> waits = outcome_.waiting;
    std::erase_if(waits, [this](const Claim& wait) { return holder_of(wait) == nullptr; });
    return waits.empty() ? outcome_.waiting : waits;
  }

  /// Other locks that a thread of a deadlock holds are no part of it: it has the id that the analysis gives
  /// it.
  static bool is_wanted(const Claim& held, const std::vector<Claim>& waits) {
    return std::ranges::any_of(waits, [&held](const Claim& wait) { return wait.object == held.object; });
  }

  /// An address has no name if it is on a stack or the heap.
  std::string object(std::uint64_t address) {
    if (const auto data = names_.data(address)) return data->name;
    return fmt::format("{:#x}", address);
  }

  /// Code without line numbers is shown by its module.
  std::string place(const Claim& claim) {
    const SourceFrame* const shown = names_.shown(claim.place, claim.stack);
    return shown != nullptr && shown->line != 0 ? place_text(*shown) : tables_.place_text(claim.place);
  }
  std::string at_place(const Claim& claim) {
    const SourceFrame* const shown = names_.shown(claim.place, claim.stack);
    if (shown != nullptr && shown->line == 0 && !shown->function.empty())
      return fmt::format(" in {}", shown->function);
    return claim.place.valid() ? fmt::format(" at {}", place(claim)) : std::string();
  }

  void add_step(const Claim& claim, std::string_view operation, EventKind access) {
    FindingStep step;
    step.thread = tables_.thread_name(claim.thread);
    step.place = place(claim);
    step.operation = operation;
    step.event = claim.event;
    if (is(claim, OperationKind::Join)) {
      step.object = fmt::format("thread {}", joined(claim));
    } else if (claim.object != 0) {
      step.object = object(claim.object);
      objects_.insert(step.object);
      if (const auto data = names_.data(claim.object)) canonical_objects_.insert(canonical_object(*data));
    }
    for (const Claim& held : outcome_.holding) {
      if (&held == &claim) break;
      if (held.thread == claim.thread) step.locks.push_back(object(held.object));
    }
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

  /// "thread T1 waits for b at bank.cpp:12, held by thread T2 since bank.cpp:10"
  std::string message(const Claim& wait) {
    std::string text =
        fmt::format("thread {} {}{}", tables_.thread_name(wait.thread), what_for(wait), at_place(wait));
    if (const Claim* const held = holder_of(wait); held != nullptr)
      text += fmt::format(", held by {} since {}",
                          held->thread == wait.thread
                              ? "itself"
                              : fmt::format("thread {}", tables_.thread_name(held->thread)),
                          place(*held));
    return text;
  }

  /// Of a join, the object is the index of the other thread.
  std::string joined(const Claim& wait) const { return tables_.thread_name(ThreadId(wait.object)); }

  std::string what_for(const Claim& wait) {
    if (is(wait, OperationKind::Join)) return fmt::format("waits for the end of thread {}", joined(wait));
    const std::string name = wait.object != 0 ? object(wait.object) : "";
    if (is(wait, OperationKind::Wait)) return fmt::format("waits for a notification of {}", name);
    if (is(wait, OperationKind::BarrierWait)) return fmt::format("waits at the barrier {}", name);
    if (is(wait, OperationKind::SemaphoreWait)) return fmt::format("waits for the semaphore {}", name);
    if (is(wait, OperationKind::Block)) return "waits for input or output";
    if (is(wait, OperationKind::Atomic)) return "is at an atomic operation";
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

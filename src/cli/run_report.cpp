#include "cli/run_report.h"

#include <fmt/format.h>
#include <signal.h>

#include "report/outcome_finding.h"

namespace ravel {

void RunReport::add(const RecordedProcess& process, const TraceReader& trace, const std::string& name) {
  const RunOutcome& outcome = trace.outcome();
  SourceLines sources;
  auto failure = outcome_finding(outcome, trace.tables(), scope_of(process), schedule_, sources);
  const std::lock_guard lock(mutex_);
  instrumented_ |= trace.header().instrumented;
  const auto& unseen = trace.header().unseen_libraries;
  unseen_libraries_.insert(unseen_libraries_.end(), unseen.begin(), unseen.end());
  // The runtime ends such a process before it can say goodbye.
  for (const std::string& note : trace.notes()) notes_.push_back(fmt::format("{}: {}", name, note));
  if (stopped_.empty() || (process.first && !outcome.kind.empty())) stopped_ = outcome.kind;
  if (process.first) departure_ = outcome.departure;
  if (failure) failures_.push_back(std::move(*failure));
}

void RunReport::add_notes(const std::vector<std::string>& notes) {
  const std::lock_guard lock(mutex_);
  notes_.insert(notes_.end(), notes.begin(), notes.end());
}

std::string RunReport::scope_of(const RecordedProcess& process) const {
  return process.first ? scope_ : fmt::format("{} (process {})", scope_, process.pid);
}

Result<void> RunReport::tell(Console& console, const std::string& program, const RunEnd& end) const {
  for (const std::string& note : notes_) console.note(note);
  if (end.processes == 0)
    return fail("it has recorded nothing: either it has said why, or it is statically linked or set-user-id",
                program);
  if (!instrumented_)
    console.note(
        fmt::format("{}: none of its code was compiled with ravel-cc or ravel-c++: its synchronization is "
                    "seen, its accesses to memory are not",
                    program));
  if (end.out_of_time) console.note(fmt::format("{}: killed, its time was up (--time-limit)", program));
  if (stopped_ == "step-limit")
    console.note(fmt::format("{}: stopped, it has taken all its steps (--step-limit)", program));
  return {};
}

std::string RunReport::outcome(const RunEnd& end) const {
  if (!stopped_.empty()) return stopped_;
  if (end.out_of_time) return "time-limit";
  if (end.signal != 0) return fmt::format("signal {}", end.signal);
  return fmt::format("exit {}", end.exit_code);
}

int RunReport::exit_code(const RunEnd& end) const {
  return stopped_ == "step-limit" || end.out_of_time ? 128 + SIGKILL : end.exit_code;
}

}  // namespace ravel

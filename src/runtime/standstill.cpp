// What is said of a run that cannot go on, as notes of its stream (event/stream.h).
#include <sys/syscall.h>

#include "runtime/seat.h"

namespace ravel::rt {
namespace {

constexpr int kExitCode = 66;

[[noreturn]] void end_run() {
  recorder.stream.stop(stream::Stop::Exit);
  system_call(SYS_exit_group, kExitCode);
  __builtin_unreachable();
}

void note(const Text& line, const char* buffer) {
  if (!line.full()) recorder.stream.note(buffer, line.size());
}

void note_outcome(const char* what, std::uint64_t step) {
  char buffer[64];
  note(Text(buffer, sizeof buffer).add("outcome ").add(what).add(" ").number(step), buffer);
}

std::uint64_t code(Pc pc) { return pc == 0 ? 0 : code_of(pc); }

bool is_lock(OperationKind kind) { return kind == OperationKind::Lock || kind == OperationKind::LockShared; }

/// Whom the thread waits for; null: for anybody who comes.
const Seat* awaited(const Seat& seat, std::span<Seat* const> seats) {
  for (const Seat* const other : seats) {
    if (seat.next.kind == OperationKind::Join && other->thread == seat.next.argument) return other;
    for (std::uint32_t i = 0; i < other->held_count; ++i)
      if (other->held[i].object == seat.waits.object) return other;
  }
  return nullptr;
}

/// A thread waits, over others, for itself.
bool has_cycle(std::span<Seat* const> seats) {
  for (const Seat* const start : seats) {
    const Seat* at = start;
    for (std::size_t i = 0; i < seats.size() && at != nullptr; ++i) {
      at = awaited(*at, seats);
      if (at == start) return true;
    }
  }
  return false;
}

/// Somebody waits to be told, and nobody is left who could.
bool lacks_wakeup(std::span<Seat* const> seats) {
  for (const Seat* const seat : seats)
    if (!is_lock(seat->next.kind) && seat->next.kind != OperationKind::Join &&
        seat->next.kind != OperationKind::Observe)
      return true;
  return false;
}

}  // namespace

void report_standstill(std::span<Seat* const> seats, std::uint64_t step) {
  const bool lost = !has_cycle(seats) && lacks_wakeup(seats);
  note_outcome(lost ? "lost-wakeup" : "deadlock", step);
  for (const Seat* const seat : seats) {
    const std::uint64_t object = seat->next.kind == OperationKind::Join
                                     ? seat->next.argument
                                     : reinterpret_cast<std::uint64_t>(seat->waits.object);
    char buffer[128];
    Text line(buffer, sizeof buffer);
    const std::string_view operation = operation_text(seat->next.kind);
    line.add("waiting ").number(seat->thread).add(" ").add(operation.data(), operation.size());
    line.add(" ").number(object, 16).add(" ").number(code(seat->next.pc), 16);
    note(line, buffer);
    for (std::uint32_t i = 0; i < seat->held_count; ++i) {
      Text held(buffer, sizeof buffer);
      held.add("holding ").number(seat->thread).add(" ");
      held.number(reinterpret_cast<std::uint64_t>(seat->held[i].object), 16);
      held.add(" ").number(code(seat->held[i].pc), 16);
      note(held, buffer);
    }
  }
  end_run();
}

void report_step_limit(std::uint64_t step, bool spinning) {
  note_outcome(spinning ? "livelock" : "step-limit", step);
  end_run();
}

void report_departure(const Departure& departure) {
  char buffer[512];
  Text line(buffer, sizeof buffer);
  line.add("departed ").number(departure.step).add(" ");
  line.add(departure.thread.text.data(), departure.thread.text.size()).add(" ");
  line.word(departure.expected.data(), departure.expected.size()).add(" ");
  line.word(departure.found.data(), departure.found.size());
  note(line, buffer);
}

}  // namespace ravel::rt

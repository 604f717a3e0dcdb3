// Schedule: which thread runs when. A value that is printed, kept in a file, parsed and followed.
//
// It comes in two forms. `decisions` is total: it says for every step of a run which thread takes it.
// `constraints` is partial: this step comes before that one, and whatever it does not mention may happen in
// any order; traces, static counterexamples and rebuilt programs can all be driven by it. docs/schedule.md
// describes the JSON.
//
// Freestanding, because it runs inside the user's program: no STL containers, no exceptions, no memory but
// the arena's. All spans and strings of a parsed Schedule live in the arena; every string there is followed
// by a NUL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "event/event.h"
#include "event/operation_kind.h"
#include "schedule/arena.h"

namespace ravel {

inline constexpr std::uint64_t kScheduleVersion = 1;

/// A thread's name that is the same in every run: main is "0", the first thread it starts "0.0", the second
/// "0.1", the first that one starts "0.1.0". Empty: any thread.
struct ForkPath {
  std::string_view text;

  friend constexpr bool operator==(ForkPath, ForkPath) = default;

  /// "0" or "0.", decimal numbers without leading zeros, dots between them: equal threads have equal texts.
  bool well_formed() const;
  /// The thread that `this` starts as its `index`-th (from 0). Empty: out of memory.
  ForkPath child(std::uint64_t index, Arena& arena) const;
};

/// A point in one thread's execution. Named by counts (syncs and ordinal of a thread: exact, for the same
/// binary) or by place and occurrence (for a rebuilt program or a static counterexample), or by both.
struct Step {
  static constexpr std::uint64_t kUnknown = UINT64_MAX;

  ForkPath thread;                   ///< empty: any thread (only with an occurrence)
  std::uint64_t syncs = kUnknown;    ///< synchronization operations of the thread before the step
  std::uint64_t ordinal = kUnknown;  ///< hooks of the thread since the last of them
  std::string_view place;            ///< "file:line"; empty: unknown
  std::uint64_t occurrence = 0;      ///< the step is the n-th (from 1) of its thread at its place; 0: unknown
  EventKind kind = EventKind::Read;  ///< meaningful if has_kind
  bool has_kind = false;

  friend constexpr bool operator==(const Step&, const Step&) = default;

  constexpr bool counted() const { return syncs != kUnknown && ordinal != kUnknown; }
  /// Enough to find the step in a run.
  constexpr bool names_a_step() const {
    return (counted() && !thread.text.empty()) || (!place.empty() && occurrence != 0);
  }
};

/// `before` happens before `after`.
struct Constraint {
  Step before;
  Step after;

  friend constexpr bool operator==(const Constraint&, const Constraint&) = default;
};

/// The thread takes the next `steps` steps (at least one), which do what `kind` says.
struct Decision {
  ForkPath thread;
  std::uint64_t steps = 1;
  OperationKind kind = OperationKind::Start;  ///< meaningful if has_kind
  bool has_kind = false;

  friend constexpr bool operator==(const Decision&, const Decision&) = default;
};

enum class ScheduleForm : std::uint8_t { Decisions, Constraints };

/// Where a run may go over to another thread: at synchronization, also at accesses to memory that several
/// threads have touched, or at all accesses.
enum class SwitchAt : std::uint8_t { Sync, Shared, All };
inline constexpr std::string_view kSwitchAtTexts[] = {"sync", "shared", "all"};

struct Schedule {
  std::span<const std::string_view> command;      ///< argv; empty: the user must name the program
  std::string_view directory;                     ///< where to run it; empty: here
  std::span<const std::string_view> environment;  ///< "NAME=value", what matters for the run
  std::string_view input_hash;                    ///< of standard input and input files; empty: unknown
  std::uint64_t seed = 0;
  std::string_view strategy;  ///< goes on where decisions end; empty: the one with the fewest switches
  SwitchAt switch_at = SwitchAt::Sync;
  bool virtual_time = true;      ///< clocks show the time of the run, not of the world
  bool virtual_random = true;    ///< random numbers of the system come from the seed
  std::uint64_t start_time = 0;  ///< what virtual clocks show first, in nanoseconds since 1970; 0: now
  std::uint64_t step_limit = 0;  ///< the run is stopped there; 0: never
  std::string_view outcome;      ///< what following it is expected to show; empty: unknown
  ScheduleForm form = ScheduleForm::Decisions;
  std::span<const Decision> decisions;      ///< empty for Constraints
  std::span<const Constraint> constraints;  ///< empty for Decisions
};

/// By contents, not by address.
bool operator==(const Schedule& a, const Schedule& b);

/// What is wrong with a schedule's text. All strings are literals.
struct ScheduleError {
  const char* message = nullptr;  ///< nullptr: nothing is wrong
  const char* key = "";           ///< the key whose value it is about; "": about none
  std::uint64_t line = 0;         ///< 1-based
  std::uint64_t offset = 0;       ///< bytes before the error

  constexpr bool ok() const { return message == nullptr; }
};

/// Reads a schedule. `out` is unchanged on an error; the text is not needed afterwards.
ScheduleError parse_schedule(std::string_view json, Arena& arena, Schedule& out);

/// Takes the next piece of a text. false: it cannot, and wants no more.
using WriteText = bool (*)(void* context, std::string_view piece);

/// Writes a schedule in small pieces, with no memory of its own but the stack. false: `write` gave up.
bool print_schedule(const Schedule& schedule, WriteText write, void* context);

/// Writes as much as fits; returns the size of the whole text.
std::size_t print_schedule(const Schedule& schedule, std::span<char> buffer);

}  // namespace ravel

// Witness: a correct reordering of a trace that ends in a race or in a deadlock, to be shown and to be driven.
//
// It runs a cut, the first events of every thread, in the order of the trace, and then the events it is about.
// Where the cut comes from (the closure of sync_history.h, for one) does not matter: the checker
// (reordering.h) judges the result, and only what it accepts is a witness. It judges by the whole beginning of
// the trace if that is short, else by a slice: the cut, the first event of each thread behind it, and whatever
// could show that the cut lacks something (writes to what it reads, operations on its barriers and conditions,
// forks of its threads, the beginning and end of its memory).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "event/result.h"
#include "trace/reader.h"
#include "witness/small_trace.h"

namespace ravel {

/// Which events a witness ends with, by position.
struct WitnessGoal {
  enum class Kind : std::uint8_t { Race, Deadlock };

  Kind kind = Kind::Race;
  std::vector<std::uint64_t> events;  ///< the two accesses; or the acquires that the threads wait in

  std::uint64_t last() const;
};

/// By thread: the position of its last event that runs; 0: none does.
using Cut = std::vector<std::uint64_t>;

struct Witness {
  WitnessGoal goal;
  SmallTrace trace;                     ///< what it is judged by
  std::vector<std::uint64_t> sequence;  ///< what runs, by position; in a race the two accesses come last
};

/// More than this is not a witness that anybody could check or follow.
inline constexpr std::size_t kMostWitnessEvents = 100'000;

struct WitnessTask {
  WitnessGoal goal;
  Cut cut;
};

/// By what a witness is judged.
enum class WitnessJudge : std::uint8_t {
  Beginning,  ///< all of the trace up to its events, if that is short; else a slice
  Slice
};

/// Reads the trace (at most twice) and builds the witness of each task; or says why there is none.
Result<std::vector<std::expected<Witness, std::string>>> build_witnesses(
    TraceReader& trace, std::vector<WitnessTask> tasks, WitnessJudge judge = WitnessJudge::Beginning);

/// The witness as a Tiddle trace. One of a deadlock ends with the requests that are never granted.
/// `comment` comes first, line by line.
std::string witness_text(const Witness& witness, const std::string& comment);

/// A schedule (docs/schedule.md) that drives the recorded program along the witness. It constrains the order
/// of operations on the same lock and of clashing accesses as far as nothing else implies it, lets the threads
/// of the goal arrive before any goes on, and holds back what lies behind. Steps are named by counts, so a
/// trace without ordinals, or with threads of unknown origin, has none: the error says so.
std::expected<std::string, std::string> witness_schedule(const Witness& witness, const std::string& outcome);

}  // namespace ravel

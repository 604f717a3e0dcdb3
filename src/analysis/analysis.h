// Analysis: the seam behind which every detector lives.
//
// To write one: derive from Analysis in a file of its own under src/analysis/, keep state in vectors indexed
// by the dense ids of the events, switch over event.kind in consume(), call sink.report() when something is
// found, and register the class at the end of the file:
//
//   const RegisterAnalysis kRegister({"writes", "counts writes per variable", [] { return
//   make<CountWrites>(); }});
//
// The chain feeds every analysis the same batches: one virtual call per batch, none per event. Events come
// resolved: event.variable(), event.lock() are dense, event.held() is the set of locks the thread holds.
// State per variable must follow the resolver's two lifetime events: on Split copy the state of
// event.split_from() to event.variable(); on Retire clear it. docs/adding-an-analysis.md walks through an
// example.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lockset_table.h"
#include "analysis/variables.h"
#include "event/event.h"
#include "event/result.h"
#include "report/finding.h"
#include "trace/header.h"
#include "trace/tables.h"

namespace ravel {

/// An event's part in a detection, kept small: analyses store one per access they remember.
struct Involved {
  std::uint64_t position = 0;
  ThreadId thread;
  PlaceId place;
  LocksetId held;
  StackId stack;
  std::uint32_t ordinal = 0;  ///< as in Event
  EventKind kind = EventKind::Read;

  Involved() = default;
  explicit Involved(const Event& event)
      : position(event.position),
        thread(event.thread),
        place(event.place),
        held(event.held()),
        stack(event.stack),
        ordinal(event.ordinal),
        kind(event.kind) {}
};

/// What an analysis found, in ids. The sink turns it into a Finding with names.
struct Detection {
  FindingKind kind = FindingKind::Race;
  Verdict verdict = Verdict::Suspected;
  std::string_view analysis;
  std::string_view guarantee;        ///< the theorem or fact behind the verdict; empty for `suspected`
  VariableId variable;               ///< what it is about, if a memory location
  std::span<const Involved> events;  ///< in trace order; the last is the one that completed it
  std::string_view message = {};     ///< empty: the sink words it
  bool or_deadlock = false;          ///< what is promised is this, or a deadlock
  /// Where the variable was, if it may be gone by the time of the report.
  std::optional<std::uint64_t> address = {};
  /// Of a deadlock: the lock that each event is about. Its events come in pairs, one for each thread: where
  /// it took the lock that the thread of the pair before waits for, and the request that makes it wait.
  std::span<const LockId> locks = {};
};

class Resolver;

class DetectionSink {
 public:
  virtual ~DetectionSink() = default;
  /// Called before each pass over the trace: `ids` explains the ids of the detections that follow.
  virtual void begin(const Resolver& /*ids*/) {}
  virtual void report(const Detection& detection) = 0;
};

/// What the chain knows about the trace. References stay valid, and their contents grow, until finish().
struct TraceContext {
  const TraceHeader& header;
  const Tables& tables;
  const Variables& variables;
  LocksetTable& locksets;
  const Resolver& resolver;  ///< explains the other ids
};

/// What an analysis needs from a trace.
struct Wants {
  KindMask kinds = KindMask::all();
  /// The strongest filter a recorder may have applied for the verdicts to hold; with a stronger one findings
  /// are `suspected`.
  FilterLevel filter = FilterLevel::Owner;
};

class Analysis {
 public:
  enum class Finish : std::uint8_t { Done, Again };

  virtual ~Analysis() = default;

  virtual Wants wants() const = 0;
  /// Called before each pass over the trace.
  virtual void begin(const TraceContext& context, DetectionSink& sink) = 0;
  /// Some events in trace order. Findings may be reported at any time.
  virtual void consume(std::span<const Event> batch) = 0;
  /// End of the trace. Again: begin() and the whole trace come once more.
  virtual Finish finish() { return Finish::Done; }
};

struct AnalysisInfo {
  std::string_view name;     ///< for --with
  std::string_view summary;  ///< one line for --help
  std::string_view explain;  ///< what it guarantees, under which assumptions, which verdicts it gives
  bool by_default = false;
  std::unique_ptr<Analysis> (*make)() = nullptr;
  /// finish() may answer Again, unless more was filtered: a running program's events must be kept for it.
  std::optional<FilterLevel> repeats = {};
};

struct RegisterAnalysis {
  explicit RegisterAnalysis(const AnalysisInfo& info);
};

/// All analyses, by name.
std::span<const AnalysisInfo> analyses();
/// "hb,shb" -> infos; "all" -> all of them. An unknown name is an error that lists the known ones.
Result<std::vector<const AnalysisInfo*>> find_analyses(std::string_view list);

template <typename T>
std::unique_ptr<Analysis> make() {
  return std::make_unique<T>();
}

}  // namespace ravel

// CausalRaces: the race check that cp and wcp share, and what they may promise of a race.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/race_history.h"
#include "analysis/vector_clock.h"

namespace ravel {

class CausalRaces final : RaceHistory::Observer {
 public:
  /// An earlier access that the one at hand races with.
  struct First {
    Involved access;
    Epoch when;
    VariableId variable;
  };

  explicit CausalRaces(std::string_view analysis) : analysis_(analysis) {}
  void begin(const TraceContext& context, DetectionSink& sink) {
    sink_ = &sink;
    exact_ = context.header.access_order == AccessOrder::Exact && context.header.filter == FilterLevel::None;
  }

  [[gnu::always_inline]] void prefetch(VariableId variable) const { history_.prefetch(variable); }
  [[gnu::always_inline]] void prefetch_lists(VariableId variable) const { history_.prefetch_lists(variable); }
  /// What an access, in all its parts, races with, latest first. Valid until the next call. P is that of its
  /// thread, and must count program order here.
  std::span<const First> find(std::span<const Event> parts, const VectorClock& P);
  void remember(std::span<const Event> parts, Epoch now, const VectorClock& P);
  /// Both for an access to one variable, if it races with none, which is quick to tell of most. False:
  /// nothing was done.
  bool remember_if_unraced(const Event& event, Epoch now, const VectorClock& P) {
    if (!is_atomic(event.kind)) return history_.remember_if_ordered(event, now, P);
    if (!history_.remember_if_unraced(event, now, P)) return false;
    if (!loose_) remember_atomic(event, now, P);
    return true;
  }
  /// An access that was reported late.
  void remember_late(const Event& event, Epoch then) {
    // Others like it may never be reported, and nothing order them.
    if (event.is_late_atomic()) loosen();
    history_.remember(event, then);
  }
  /// The resolver's lifetime events, but for those among the parts of an access.
  void lifetime(const Event& event);

  // What ends the promises.
  void released_out_of_order() { nested_ = false; }
  /// Something may be ordered less than it should be.
  void loosen() { loose_ = true; }
  /// `nested`: within another section. Where a promise would be kept by a deadlock, a thread that only tries
  /// goes on; it can be part of one if others wait for its locks or for its end.
  void acquires(const Event& event, bool nested) {
    if (event.would_wait()) return;
    tries_ = true;
    if (nested || joins_in_section_) loosen();
  }
  void joins(bool nested) {
    if (!nested) return;
    joins_in_section_ = true;
    if (tries_) loosen();
  }
  /// Two accesses may be a race, and are not reported: what is found next is not the first.
  void pass_over() { found_ = true; }

  /// `continues`: all races before have become edges. `address`: as in Detection.
  void report(const First& first, std::span<const Event> parts, bool also_hb, bool continues,
              std::optional<std::uint64_t> address);

 private:
  void remember_atomic(const Event& event, Epoch now, const VectorClock& P);
  void race(const Involved& first, Epoch when, const Event& second) override {
    firsts_.push_back({first, when, second.variable()});
  }

  const std::string_view analysis_;
  DetectionSink* sink_ = nullptr;
  bool exact_ = true;   ///< the trace has all accesses, in their order, so that a race can be an edge
  bool nested_ = true;  ///< all releases so far
  bool loose_ = false;
  bool tries_ = false;             ///< some lock was only tried
  bool joins_in_section_ = false;  ///< some thread with a lock has waited for another one's end
  bool found_ = false;             ///< a race, or two accesses that may be one
  RaceHistory history_;
  RaceHistory atomics_;  ///< atomic accesses as if they were plain
  std::vector<First> firsts_;
};

}  // namespace ravel

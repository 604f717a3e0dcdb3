// StepFinder: recognises one step of a schedule in a run.
//
// By the counts of its thread if the step has them, else by place and occurrence. The place must be code
// addresses by then, as in "@1f3a,1f40", any of which matches: whoever has the program's symbols has
// translated it.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/arena.h"
#include "schedule/strategy.h"

namespace ravel {

class StepFinder {
 public:
  /// false: out of memory.
  [[nodiscard]] bool begin(const Step& step, Arena& arena);

  /// Whether it says enough to be recognised.
  bool can_be_found() const { return step_.counted() || !addresses_.empty(); }
  const Step& step() const { return step_; }

  /// Whether it is what the candidate does next.
  bool is_next(const Candidate& candidate) const;
  /// Whether it is where the candidate is, but the candidate does something else there.
  bool is_other(const Candidate& candidate) const;
  /// Whether the candidate is beyond it.
  bool is_behind(const Candidate& candidate) const;
  /// The candidate was chosen.
  void count(const Candidate& candidate) { seen_ += matches_place(candidate) ? 1 : 0; }

 private:
  bool same_counts(const Candidate& candidate) const;
  bool matches_place(const Candidate& candidate) const;
  bool matches_kind(const Candidate& candidate) const;

  Step step_;
  std::span<const std::uint32_t> addresses_;
  std::uint64_t seen_ = 0;  ///< operations so far that match but for the occurrence
};

}  // namespace ravel

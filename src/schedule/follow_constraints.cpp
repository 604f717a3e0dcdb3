// Follows constraints: a thread whose next operation is the second step of one waits until the first has
// happened. Among all others the fallback chooses. A constraint that cannot be kept is given up, which is a
// departure, and so is one whose first step never comes.
#include "schedule/kind_text.h"
#include "schedule/step_finder.h"
#include "schedule/strategies.h"

namespace ravel {
namespace {

class FollowConstraints final : public Strategy {
 public:
  FollowConstraints(Strategy& fallback, Arena& arena) : fallback_(fallback), arena_(arena) {}

  /// false: out of memory.
  [[nodiscard]] bool begin(std::span<const Constraint> constraints) {
    open_ = arena_.allocate_array<Open>(constraints.size());
    if (open_ == nullptr) return false;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const Constraint& constraint = constraints.data()[i];
      Open& open = *::new (static_cast<void*>(open_ + count_)) Open{i, {}, {}};
      if (!open.before.begin(constraint.before, arena_) || !open.after.begin(constraint.after, arena_)) {
        return false;
      }
      if (!open.before.can_be_found()) {
        depart(0, i, constraint.before, "be found", "its place is not known");
      } else if (!open.after.can_be_found()) {
        depart(0, i, constraint.after, "be found", "its place is not known");
      } else {
        ++count_;
      }
    }
    return true;
  }

  std::size_t choose(const Moment& now) override {
    if (count_ == 0) return fallback_.choose(now);
    look_around(now);
    std::size_t chosen = choose_among_free(now);
    while (chosen == Moment::kNobody) {
      release_first(now);
      chosen = choose_among_free(now);
    }
    goes_on(now.candidates.data()[chosen]);
    return chosen;
  }

  void end(const Moment& now) override {
    for (std::size_t i = 0; i < count_; ++i)
      if (!has_passed(open_[i].before, now))
        depart(now.step, open_[i].index, open_[i].before.step(), "come", "the program has ended");
  }

  const Departure* departure() const override { return departed_ ? &departure_ : nullptr; }

 private:
  /// A constraint whose first step has not happened yet.
  struct Open {
    std::size_t index;
    StepFinder before;
    StepFinder after;
  };

  static bool has_passed(const StepFinder& step, const Moment& now) {
    for (const Candidate& candidate : now.candidates)
      if (step.is_behind(candidate)) return true;
    return false;
  }

  /// Notices steps that went by between two points, and such that are not what they should be.
  void look_around(const Moment& now) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (still_open(open_[i], now)) open_[kept++] = open_[i];
    }
    count_ = kept;
  }

  bool still_open(const Open& open, const Moment& now) {
    for (const Candidate& candidate : now.candidates) {
      for (const StepFinder* finder : {&open.before, &open.after}) {
        if (!finder->is_other(candidate)) continue;
        const Step& step = finder->step();
        depart(now.step, open.index, step, kind_text(step.kind), operation_text(candidate.next));
        return false;
      }
    }
    if (has_passed(open.before, now)) return false;
    for (const Candidate& candidate : now.candidates) {
      if (!open.after.is_behind(candidate)) continue;
      depart(now.step, open.index, open.after.step(), "wait", "went on, nothing could hold it there");
      return false;
    }
    return true;
  }

  /// kNobody: all are held back.
  std::size_t choose_among_free(const Moment& now) {
    const std::size_t count = now.candidates.size();
    if (!make_room(count)) return first_free(now);
    Moment free{now.step, {}, Moment::kNobody};
    std::size_t used = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& candidate = now.candidates.data()[i];
      if (is_held(candidate)) continue;
      if (i == now.current) free.current = used;
      ::new (static_cast<void*>(free_ + used)) Candidate(candidate);
      ++used;
    }
    if (used == 0) return Moment::kNobody;
    free.candidates = {free_, used};
    const std::uint32_t thread = free_[fallback_.choose(free)].thread;
    std::size_t chosen = 0;
    while (now.candidates.data()[chosen].thread != thread) ++chosen;
    return chosen;
  }

  std::size_t first_free(const Moment& now) const {
    for (std::size_t i = 0; i < now.candidates.size(); ++i) {
      if (!is_held(now.candidates.data()[i])) return i;
    }
    return Moment::kNobody;
  }

  bool is_held(const Candidate& candidate) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (open_[i].after.is_next(candidate)) return true;
    }
    return false;
  }

  /// Nobody can run but those who are held back: gives up the first constraint that holds one.
  void release_first(const Moment& now) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (const Candidate& candidate : now.candidates) {
        if (!open_[i].after.is_next(candidate)) continue;
        depart(now.step, open_[i].index, open_[i].before.step(), "go first", "all that can run wait for it");
        close(i);
        return;
      }
    }
  }

  /// The candidate does what it is about to do.
  void goes_on(const Candidate& candidate) {
    for (std::size_t i = count_; i > 0; --i) {
      Open& open = open_[i - 1];
      if (open.before.is_next(candidate)) {
        close(i - 1);
      } else {
        open.before.count(candidate);
        open.after.count(candidate);
      }
    }
  }

  void close(std::size_t at) {
    --count_;
    for (std::size_t i = at; i < count_; ++i) open_[i] = open_[i + 1];
  }

  void depart(std::uint64_t step, std::size_t constraint, const Step& about, std::string_view expected,
              std::string_view found) {
    if (departed_) return;
    departure_ = {step, about.thread, expected, found, constraint};
    departed_ = true;
  }

  bool make_room(std::size_t count) {
    if (count <= room_) return true;
    auto* bigger = arena_.allocate_array<Candidate>(count * 2);
    if (bigger == nullptr) return false;
    free_ = bigger;
    room_ = count * 2;
    return true;
  }

  Strategy& fallback_;
  Arena& arena_;
  Open* open_ = nullptr;  ///< in the order of the schedule
  std::size_t count_ = 0;
  Candidate* free_ = nullptr;  ///< room for the candidates that are not held back
  std::size_t room_ = 0;
  Departure departure_;  ///< the first; meaningful if departed_
  bool departed_ = false;
};

}  // namespace

Strategy* follow_constraints(const Schedule& schedule, Strategy& fallback, Arena& arena) {
  auto* strategy = arena.make<FollowConstraints>(fallback, arena);
  return strategy != nullptr && strategy->begin(schedule.constraints) ? strategy : nullptr;
}

}  // namespace ravel

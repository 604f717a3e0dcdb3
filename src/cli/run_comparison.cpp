#include "cli/run_comparison.h"

#include <fmt/format.h>

#include "symbol/trace_names.h"
#include "trace/format.h"

namespace ravel {
namespace {

/// Goes through a log step by step.
class StepCursor {
 public:
  explicit StepCursor(const StepLog& log) : log_(log) {}

  bool at_end() const { return at_ == log_.taken.size(); }
  const StepLog::Taken& taken() const { return log_.taken[at_]; }
  std::uint32_t left() const { return taken().steps - done_; }
  void advance(std::uint32_t steps) {
    done_ += steps;
    if (done_ < taken().steps) return;
    done_ = 0;
    ++at_;
  }
  const std::string& thread() const { return log_.threads[taken().thread]; }
  std::string text() const {
    return at_end() ? "the run ends"
                    : fmt::format("thread {} does {}", thread(), operation_text(taken().kind));
  }

 private:
  const StepLog& log_;
  std::size_t at_ = 0;
  std::uint32_t done_ = 0;
};

/// Gives the events of a trace one by one.
class EventCursor {
 public:
  explicit EventCursor(std::unique_ptr<TraceReader> reader)
      : reader_(std::move(reader)), names_(reader_->tables()) {}

  /// Null: there are no more.
  Result<const Event*> next() {
    if (at_ == batch_.size()) {
      if (auto read = reader_->next(batch_); !read) return std::unexpected(read.error());
      at_ = 0;
      if (batch_.empty()) return nullptr;
    }
    return &batch_[at_++];
  }

  std::string thread(const Event& event) const { return reader_->tables().thread_name(event.thread); }
  const Place* place(const Event& event) const {
    const auto& places = reader_->tables().places;
    return event.place.index() < places.size() ? &places[event.place.index()] : nullptr;
  }
  std::string text(const Event* event) {
    if (event == nullptr) return "the run ends";
    const SourceFrame* const shown = names_.shown(event->place, event->stack);
    return fmt::format("{} by thread {} at {}", operation_text(event->kind), thread(*event),
                       shown != nullptr ? place_text(*shown) : reader_->tables().place_text(event->place));
  }

 private:
  std::unique_ptr<TraceReader> reader_;
  TraceNames names_;
  std::vector<Event> batch_;
  std::size_t at_ = 0;
};

bool same(const Event& a, const EventCursor& of_a, const Event& b, const EventCursor& of_b) {
  if (a.kind != b.kind || a.thread != b.thread || a.order != b.order || a.width != b.width ||
      a.ordinal != b.ordinal)
    return false;
  if (target_space(a.kind) == TargetSpace::Thread && a.target != b.target) return false;
  const Place* const place_a = of_a.place(a);
  const Place* const place_b = of_b.place(b);
  if (place_a == nullptr || place_b == nullptr) return place_a == place_b;
  return place_a->file == place_b->file && place_a->line == place_b->line &&
         place_a->offset == place_b->offset;
}

}  // namespace

std::optional<std::string> steps_difference(const StepLog& first, const StepLog& second) {
  StepCursor a(first);
  StepCursor b(second);
  std::uint64_t step = 0;
  while (!a.at_end() && !b.at_end()) {
    if (a.thread() != b.thread() || a.taken().kind != b.taken().kind) break;
    const std::uint32_t both = std::min(a.left(), b.left());
    a.advance(both);
    b.advance(both);
    step += both;
  }
  if (a.at_end() && b.at_end()) return std::nullopt;
  return fmt::format("step {}: first {}, then {}", step, a.text(), b.text());
}

Result<EventsComparison> compare_events(const std::string& first_trace, const std::string& second_trace) {
  auto first = open_trace(first_trace, "rvl", Rules::Lenient);
  if (!first) return std::unexpected(first.error());
  auto second = open_trace(second_trace, "rvl", Rules::Lenient);
  if (!second) return std::unexpected(second.error());
  EventCursor a(std::move(*first));
  EventCursor b(std::move(*second));
  EventsComparison result;
  while (true) {
    const auto in_a = a.next();
    if (!in_a) return std::unexpected(in_a.error());
    const auto in_b = b.next();
    if (!in_b) return std::unexpected(in_b.error());
    if (*in_a == nullptr && *in_b == nullptr) return result;
    if (*in_a == nullptr || *in_b == nullptr || !same(**in_a, a, **in_b, b)) {
      result.difference =
          fmt::format("event {}: first {}, then {}", result.events + 1, a.text(*in_a), b.text(*in_b));
      return result;
    }
    ++result.events;
  }
}

}  // namespace ravel

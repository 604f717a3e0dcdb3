// OutcomeReader: a TraceReader that remembers what each thread last did about each lock, condition and
// barrier, so that the outcome of a controlled run can say where that was, with its stack.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>

#include "trace/reader.h"

namespace ravel {

class OutcomeReader final : public TraceReader {
 public:
  explicit OutcomeReader(std::unique_ptr<TraceReader> source)
      : TraceReader(source->path()), source_(std::move(source)) {}

  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override;
  std::uint64_t line_of(std::uint64_t position) const override { return source_->line_of(position); }
  std::vector<std::string> notes() const override { return source_->notes(); }
  const TraceHeader& header() const override { return source_->header(); }
  const Tables& tables() const override { return source_->tables(); }

 private:
  struct Key {
    ThreadId thread;
    std::uint64_t object;

    friend bool operator==(const Key&, const Key&) = default;
    friend std::size_t hash_value(const Key& key) {
      return key.object * 0x9e3779b97f4a7c15ULL ^ key.thread.value;
    }
  };
  struct Last {
    std::uint64_t event;
    PlaceId place;
    StackId stack;
  };
  using Events = boost::unordered_flat_map<Key, Last>;

  static void add_event(const Events& events, RunOutcome::Claim& claim);

  std::unique_ptr<TraceReader> source_;
  Events wanted_;  ///< requests, and waits that have begun
  Events taken_;   ///< locks
};

}  // namespace ravel

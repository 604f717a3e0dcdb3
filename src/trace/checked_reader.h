// CheckedReader: a TraceReader that lets only a well-formed trace through (well_formed.h).
#pragma once

#include <memory>

#include "event/well_formed.h"
#include "trace/format.h"

namespace ravel {

class CheckedReader final : public TraceReader {
 public:
  CheckedReader(std::unique_ptr<TraceReader> source, Rules rules);

  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override;
  std::uint64_t line_of(std::uint64_t position) const override { return source_->line_of(position); }
  std::vector<std::string> notes() const override;
  const TraceHeader& header() const override { return source_->header(); }
  const Tables& tables() const override { return source_->tables(); }
  const RunOutcome& outcome() const override { return source_->outcome(); }

 private:
  Error explain(const WellFormed::Violation& violation) const;

  std::unique_ptr<TraceReader> source_;
  Rules rules_;
  WellFormed well_formed_;
};

}  // namespace ravel

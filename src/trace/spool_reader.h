// SpoolReader: lets a source whose events come only once, a running program, be read again.
//
// What it gives out it also writes to a file without a name; after rewind() it reads that. Ids and positions
// are the same each time.
#pragma once

#include <memory>
#include <string>

#include "trace/reader.h"

namespace ravel {

class SpoolReader final : public TraceReader {
 public:
  /// The file is made in `directory`, and is gone with the reader.
  static Result<std::unique_ptr<SpoolReader>> open(std::unique_ptr<TraceReader> source,
                                                   const std::string& directory);
  ~SpoolReader() override;

  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override;
  std::vector<std::string> notes() const override { return source_->notes(); }
  const RunOutcome& outcome() const override { return source_->outcome(); }
  const TraceHeader& header() const override { return source_->header(); }
  const Tables& tables() const override { return source_->tables(); }

 private:
  SpoolReader(std::unique_ptr<TraceReader> source, std::string folder);

  std::unique_ptr<TraceReader> source_;
  std::string folder_;
  std::unique_ptr<TraceWriter> writer_;  ///< null: all is written
  std::unique_ptr<TraceReader> again_;   ///< null: the source is being read
};

}  // namespace ravel

// MemoryReader: a trace that is already in memory, behind the seam every analysis reads from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/reader.h"

namespace ravel {

class MemoryReader : public TraceReader {
 public:
  /// `batch_events` is the size of the batches; tests make it small to cross batch boundaries.
  MemoryReader(TraceHeader header, Tables tables, std::vector<Event> events,
               std::size_t batch_events = kBatchEvents, std::string path = "memory");

  Result<void> next(std::vector<Event>& batch) override;
  Result<void> rewind() override;

 private:
  std::vector<Event> events_;
  std::size_t batch_events_;
  std::size_t read_ = 0;
};

}  // namespace ravel

#include "trace/memory_reader.h"

#include <algorithm>
#include <utility>

namespace ravel {

MemoryReader::MemoryReader(TraceHeader header, Tables tables, std::vector<Event> events,
                           std::size_t batch_events, std::string path)
    : TraceReader(std::move(path)), events_(std::move(events)), batch_events_(batch_events) {
  CHECK(batch_events > 0, "a batch without events is the end of the trace");
  header_ = std::move(header);
  tables_ = std::move(tables);
}

Result<void> MemoryReader::next(std::vector<Event>& batch) {
  const std::size_t end = std::min(events_.size(), read_ + batch_events_);
  batch.assign(events_.begin() + static_cast<std::ptrdiff_t>(read_),
               events_.begin() + static_cast<std::ptrdiff_t>(end));
  read_ = end;
  return {};
}

Result<void> MemoryReader::rewind() {
  read_ = 0;
  return {};
}

}  // namespace ravel

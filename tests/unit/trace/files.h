// Whole traces in tests of binary formats: bytes in, everything a reader has to say out.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "event/check.h"
#include "trace/reader.h"

namespace ravel::test {

/// A file without a disk, for tests that read thousands of them.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("ravel-test", MFD_CLOEXEC)) {
    CHECK(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

/// What came out of a reader until its end or its error.
struct Outcome {
  std::vector<Event> events;
  std::string error;  ///< empty: none
  std::vector<std::string> notes;
  TraceHeader header;
  Tables tables;

  bool ok() const { return error.empty(); }
};

inline Outcome read_rest(TraceReader& reader) {
  Outcome outcome;
  std::vector<Event> batch;
  do {
    if (const Result<void> read = reader.next(batch); !read) {
      outcome.error = read.error().text();
      break;
    }
    outcome.events.insert(outcome.events.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  outcome.notes = reader.notes();
  outcome.header = reader.header();
  outcome.tables = reader.tables();
  return outcome;
}

inline Outcome read_all(Result<std::unique_ptr<TraceReader>> reader) {
  if (reader) return read_rest(**reader);
  Outcome outcome;
  outcome.error = reader.error().text();
  return outcome;
}

}  // namespace ravel::test

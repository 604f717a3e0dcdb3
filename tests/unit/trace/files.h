// Files for tests of trace readers and writers: a private directory, whole files as bytes, whole traces as
// events.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/reader.h"

namespace ravel::testing_files {

/// A directory of the test's own, removed with it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ravel-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  std::string file(std::string_view name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// What came out of a reader until its end or its error.
struct Outcome {
  std::vector<Event> events;
  std::string error;  ///< empty: none
  std::vector<std::string> notes;
  TraceHeader header;
  Tables tables;

  bool ok() const { return error.empty(); }
};

inline void read_rest(TraceReader& reader, Outcome& outcome) {
  std::vector<Event> batch;
  while (true) {
    const Result<void> read = reader.next(batch);
    if (!read) {
      outcome.error = read.error().text();
      break;
    }
    if (batch.empty()) break;
    outcome.events.insert(outcome.events.end(), batch.begin(), batch.end());
  }
  outcome.notes = reader.notes();
  outcome.header = reader.header();
  outcome.tables = reader.tables();
}

inline Outcome read_all(Result<std::unique_ptr<TraceReader>> reader) {
  Outcome outcome;
  if (reader) {
    read_rest(**reader, outcome);
  } else {
    outcome.error = reader.error().text();
  }
  return outcome;
}

}  // namespace ravel::testing_files

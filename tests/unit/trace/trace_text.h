// Traces as text in tests: write a file, read it back, compare.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "event/check.h"
#include "event/result.h"
#include "trace/reader.h"

namespace ravel::test {

/// A private directory that is gone at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ravel-test-XXXXXX").string();
    CHECK(::mkdtemp(pattern.data()) != nullptr, pattern);
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Makes the file and returns its path.
  std::string file(std::string_view name, std::string_view content) const {
    std::string path = file(name);
    std::ofstream out(path, std::ios::binary);
    out << content;
    CHECK(out.flush().good(), path);
    return path;
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A whole trace.
struct Recording {
  std::vector<Event> events;
  Tables tables;
};

/// All events that are left to read.
inline Result<Recording> drain(TraceReader& reader) {
  Recording recording;
  std::vector<Event> batch;
  do {
    if (auto read = reader.next(batch); !read) return std::unexpected(read.error());
    recording.events.insert(recording.events.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  recording.tables = reader.tables();
  return recording;
}

/// The error's text, or "" if there is none.
template <typename T>
std::string error_text(const Result<T>& result) {
  return result ? std::string() : result.error().text();
}

}  // namespace ravel::test

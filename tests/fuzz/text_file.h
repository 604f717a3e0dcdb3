// The input of a fuzz target as a file: readers open paths.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "event/check.h"
#include "trace/reader.h"

namespace ravel::test {

/// Files of this process, in memory where there is such a file system; gone when it ends.
class FuzzFiles {
 public:
  FuzzFiles() {
    const char* base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    directory_ = std::string(base) + "/ravel-fuzz-XXXXXX";
    CHECK(::mkdtemp(directory_.data()) != nullptr, directory_);
  }
  ~FuzzFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  FuzzFiles(const FuzzFiles&) = delete;
  FuzzFiles& operator=(const FuzzFiles&) = delete;

  std::string path(const char* name) const { return directory_ + "/" + name; }

 private:
  std::string directory_;
};

/// The path of a file with these bytes; another input makes it anew.
inline std::string fuzz_file(const char* name, const unsigned char* data, std::size_t size) {
  static const FuzzFiles files;
  std::string path = files.path(name);
  FILE* file = std::fopen(path.c_str(), "wb");
  CHECK(file != nullptr, path);
  CHECK(std::fwrite(data, 1, size, file) == size, path);
  std::fclose(file);
  return path;
}

/// Reads to the end or to the first error.
inline std::vector<Event> drain(TraceReader& reader) {
  std::vector<Event> batch, events;
  do {
    if (!reader.next(batch)) break;
    events.insert(events.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  return events;
}

}  // namespace ravel::test

// A folder that goes away with its content.
#pragma once

#include <string>
#include <utility>

#include "event/result.h"

namespace ravel {

class TemporaryFolder {
 public:
  /// A new one in `directory`.
  static Result<TemporaryFolder> make(const std::string& directory);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }  ///< absolute

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Where temporary files go: TMPDIR, or /tmp.
Result<std::string> temporary_directory();

}  // namespace ravel

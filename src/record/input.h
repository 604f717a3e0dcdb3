// Input: the program's standard input, which is the same for every run.
#pragma once

#include <functional>
#include <string>

#include "event/result.h"
#include "record/file_descriptor.h"

namespace ravel {

class Input {
 public:
  /// Each run gets ravel's own standard input as it is.
  Input() = default;

  /// What comes on ravel's standard input up to its end, from the beginning for every run; a terminal or a
  /// device is left as it is. `waits` is called once if nothing comes for a while.
  static Result<Input> spool(const std::function<void()>& waits);
  /// The content of a file.
  static Result<Input> copy(const std::string& path);

  bool spooled() const { return file_.number() >= 0; }
  /// 16 hexadecimal digits; empty unless spooled.
  const std::string& hash() const { return hash_; }
  std::uint64_t size() const { return size_; }
  /// A name under which each run can open it; empty unless spooled.
  std::string path() const;
  /// Copies it to a file.
  Result<void> save(const std::string& path) const;

 private:
  /// Copies everything from the descriptor.
  static Result<Input> take(int from, const std::string& name);

  FileDescriptor file_;
  std::string hash_;
  std::uint64_t size_ = 0;
};

}  // namespace ravel

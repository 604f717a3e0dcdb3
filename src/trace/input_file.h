// InputFile: the bytes of a file or of standard input ("-"), read in large pieces.
//
// Opening names the common mistakes (missing, a directory, no permission) in the error. Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "event/result.h"

namespace ravel {

/// A good size for the buffer given to InputFile::read.
inline constexpr std::size_t kReadBytes = 1 << 20;

class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  /// Fills `buffer` as far as the file goes; fewer bytes than asked for means the end of the file.
  Result<std::size_t> read(std::span<char> buffer);
  Result<std::size_t> read(std::span<unsigned char> buffer) {
    return read(std::span<char>(reinterpret_cast<char*>(buffer.data()), buffer.size()));
  }

  /// Back to the first byte; an error for standard input and other pipes.
  Result<void> rewind();

  const std::string& path() const { return path_; }

 private:
  InputFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void close();

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace ravel

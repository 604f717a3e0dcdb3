// LineReader: the lines of a text file, one at a time, without holding more of the file than a buffer.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "event/result.h"
#include "trace/input_file.h"

namespace ravel {

class LineReader {
 public:
  enum class Rewinding : std::uint8_t {
    IfFile,  ///< rewind() works for files
    Always,  ///< and for pipes too, which are then read into memory
  };
  static Result<LineReader> open(const std::string& path, Rewinding rewinding = Rewinding::IfFile);

  /// The next line, without "\n" or "\r\n", valid until the next call. False: no more lines, or status() is
  /// an error.
  bool next(std::string_view& line) { return next_at_hand(line) || next_slowly(line); }
  /// Like next() if that leaves all earlier lines valid; false otherwise.
  bool next_at_hand(std::string_view& line) {
    const char* begin = buffer_.data() + position_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', end_ - position_));
    if (end == nullptr || end - begin >= static_cast<std::ptrdiff_t>(kReadBytes)) [[unlikely]]
      return false;
    take(line, static_cast<std::size_t>(end - begin));
    ++position_;
    return true;
  }
  const Result<void>& status() const { return status_; }

  std::uint64_t line() const { return line_; }  ///< number of the last line, 1-based
  Result<void> rewind();

 private:
  explicit LineReader(InputFile file) : file_(std::move(file)) {}
  bool next_slowly(std::string_view& line);
  Result<void> read_all();
  void take(std::string_view& line, std::size_t length) {
    line = {buffer_.data() + position_, length};
    position_ += length;
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_;
  }

  InputFile file_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;  ///< of the next line in buffer_
  std::size_t end_ = 0;       ///< of what was read
  bool at_end_ = false;       ///< the file has no more bytes than buffer_
  bool in_memory_ = false;    ///< buffer_ is the whole file
  std::uint64_t line_ = 0;
  Result<void> status_;
};

/// `text` in quotes for a message: at most 40 characters, nothing unprintable.
std::string quoted(std::string_view text);

}  // namespace ravel

#include "trace/line_reader.h"

#include <fmt/format.h>

namespace ravel {

Result<LineReader> LineReader::open(const std::string& path, Rewinding rewinding) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  LineReader reader(std::move(*file));
  reader.buffer_.resize(kReadBytes);
  if (rewinding == Rewinding::Always && !reader.file_.rewind()) {
    if (auto read = reader.read_all(); !read) return std::unexpected(read.error());
  }
  return reader;
}

Result<void> LineReader::read_all() {
  in_memory_ = at_end_ = true;
  while (true) {
    auto count = file_.read(std::span(buffer_).subspan(end_));
    if (!count) return std::unexpected(count.error());
    end_ += *count;
    if (end_ < buffer_.size()) return {};
    buffer_.resize(buffer_.size() * 2);
  }
}

bool LineReader::next_slowly(std::string_view& line) {
  if (!status_) return false;
  if (!at_end_) {
    std::memmove(buffer_.data(), buffer_.data() + position_, end_ - position_);
    end_ -= position_;
    position_ = 0;
    if (end_ < buffer_.size()) {
      auto count = file_.read(std::span(buffer_).subspan(end_));
      if (!count) {
        status_ = std::unexpected(count.error());
        return false;
      }
      end_ += *count;
      at_end_ = end_ < buffer_.size();
      return next(line);
    }
  }
  if (end_ - position_ >= kReadBytes && !std::memchr(buffer_.data() + position_, '\n', kReadBytes)) {
    status_ = fail(fmt::format("the line is longer than {} characters", kReadBytes), file_.path(), line_ + 1);
    return false;
  }
  if (position_ == end_) return false;
  take(line, end_ - position_);  // the last line may lack its end
  return true;
}

Result<void> LineReader::rewind() {
  if (!in_memory_) {
    if (auto done = file_.rewind(); !done) return done;
    end_ = 0;
    at_end_ = false;
  }
  position_ = 0;
  line_ = 0;
  status_ = {};
  return {};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result = "'";
  std::size_t length = text.size();
  if (length > kLongest) {
    length = kLongest - 3;
    // Not within a UTF-8 sequence.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  for (const char c : text.substr(0, length)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  if (length < text.size()) result += "...";
  return result + "'";
}

}  // namespace ravel

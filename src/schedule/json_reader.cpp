#include "schedule/json_reader.h"

#include "schedule/utf8.h"

namespace ravel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void put(char* to, std::size_t& size, std::uint32_t byte) {
  if (to != nullptr) to[size] = static_cast<char>(byte);
  ++size;
}

void put_code_point(char* to, std::size_t& size, std::uint32_t code) {
  if (code < 0x80) {
    put(to, size, code);
  } else if (code < 0x800) {
    put(to, size, 0xc0 | code >> 6);
    put(to, size, 0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(to, size, 0xe0 | code >> 12);
    put(to, size, 0x80 | (code >> 6 & 0x3f));
    put(to, size, 0x80 | (code & 0x3f));
  } else {
    put(to, size, 0xf0 | code >> 18);
    put(to, size, 0x80 | (code >> 12 & 0x3f));
    put(to, size, 0x80 | (code >> 6 & 0x3f));
    put(to, size, 0x80 | (code & 0x3f));
  }
}

}  // namespace

bool JsonReader::fail_at(std::size_t offset, const char* message) {
  if (message_ == nullptr) {
    message_ = message;
    error_offset_ = offset;
  }
  return false;
}

ScheduleError JsonReader::error() const {
  if (message_ == nullptr) return {};
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < error_offset_ && i < text_.size(); ++i) line += text_[i] == '\n' ? 1 : 0;
  return {message_, key_, line, error_offset_};
}

std::size_t JsonReader::position() {
  white_space();
  return position_;
}

void JsonReader::white_space() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++position_;
}

bool JsonReader::take(char expected, const char* message) {
  if (failed()) return false;
  white_space();
  if (peek() != expected) return fail(message);
  ++position_;
  return true;
}

bool JsonReader::enter(char bracket) {
  return take(bracket, bracket == '{' ? "expected an object" : "expected an array");
}

bool JsonReader::next(char closing_bracket, bool& first) {
  if (failed()) return false;
  white_space();
  if (peek() == closing_bracket) {
    ++position_;
    return false;
  }
  if (!first) {
    if (!take(',', closing_bracket == '}' ? "expected ',' or '}'" : "expected ',' or ']'")) return false;
    white_space();
    if (peek() == closing_bracket) return fail("a comma is followed by nothing");
  }
  first = false;
  return true;
}

bool JsonReader::key(std::string_view& out) { return string(out) && take(':', "expected ':'"); }

bool JsonReader::string(std::string_view& out) {
  if (failed()) return false;
  white_space();
  std::size_t size = 0;
  std::size_t end = 0;
  if (!decode(nullptr, size, end)) return false;
  char* room = arena_.allocate_array<char>(size + 1);
  if (room == nullptr) return fail("out of memory");
  size = 0;
  decode(room, size, end);
  room[size] = '\0';
  out = {room, size};
  position_ = end;
  return true;
}

bool JsonReader::decode(char* to, std::size_t& size, std::size_t& end) {
  if (peek() != '"') return fail("expected a string");
  std::size_t at = position_ + 1;
  while (true) {
    if (at >= text_.size()) return fail("a string has no end");
    const auto c = static_cast<unsigned char>(text_[at]);
    if (c == '"') break;
    if (c < 0x20) return fail_at(at, "control character in a string");
    if (c == '\\') {
      if (!decode_escape(at, to, size)) return false;
      continue;
    }
    const std::size_t length = utf8_length({text_.data() + at, text_.size() - at});
    if (length == 0) return fail_at(at, "a string is not UTF-8");
    for (std::size_t i = 0; i < length; ++i) put(to, size, static_cast<unsigned char>(text_[at + i]));
    at += length;
  }
  end = at + 1;
  return true;
}

bool JsonReader::decode_escape(std::size_t& at, char* to, std::size_t& size) {
  const char kind = at + 1 < text_.size() ? text_[at + 1] : '\0';
  char plain = '\0';
  switch (kind) {
    case '"':
    case '\\':
    case '/':
      plain = kind;
      break;
    case 'b':
      plain = '\b';
      break;
    case 'f':
      plain = '\f';
      break;
    case 'n':
      plain = '\n';
      break;
    case 'r':
      plain = '\r';
      break;
    case 't':
      plain = '\t';
      break;
    case 'u':
      return decode_unicode(at, to, size);
    default:
      return fail_at(at, "unknown escape in a string");
  }
  put(to, size, static_cast<unsigned char>(plain));
  at += 2;
  return true;
}

// A low surrogate of its own, U+DC80 to U+DCFF, stands for the byte 80 to FF: file names and arguments need
// not be UTF-8, JSON must be.
bool JsonReader::decode_unicode(std::size_t& at, char* to, std::size_t& size) {
  const std::size_t start = at;
  std::uint32_t code = 0;
  if (!hex4(at, code)) return false;
  if (code == 0) return fail_at(start, "a string contains \\u0000");
  if (code >= 0xdc80 && code <= 0xdcff) {
    put(to, size, code & 0xff);
    return true;
  }
  if (code >= 0xdc00 && code <= 0xdfff) return fail_at(start, "low surrogate without a high one");
  if (code >= 0xd800 && code <= 0xdbff) {
    std::uint32_t low = 0;
    if (at + 1 >= text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') {
      return fail_at(start, "high surrogate without a low one");
    }
    if (!hex4(at, low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return fail_at(start, "high surrogate without a low one");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  put_code_point(to, size, code);
  return true;
}

bool JsonReader::hex4(std::size_t& at, std::uint32_t& out) {
  out = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const char c = i < text_.size() ? text_[i] : '\0';
    std::uint32_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<std::uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<std::uint32_t>(c - 'A' + 10);
    } else {
      return fail_at(at, "\\u needs four hexadecimal digits");
    }
    out = out << 4 | digit;
  }
  at += 6;
  return true;
}

bool JsonReader::number(std::uint64_t& out) {
  if (failed()) return false;
  white_space();
  const std::size_t start = position_;
  if (!is_digit(peek())) return fail("expected an unsigned integer");
  std::uint64_t value = 0;
  bool fits = true;
  for (; is_digit(peek()); ++position_) {
    const auto digit = static_cast<std::uint64_t>(peek() - '0');
    fits = fits && value <= (UINT64_MAX - digit) / 10;
    value = value * 10 + digit;
  }
  if (text_[start] == '0' && position_ - start > 1) return fail_at(start, "a number begins with 0");
  if (peek() == '.' || peek() == 'e' || peek() == 'E') return fail_at(start, "expected an unsigned integer");
  if (!fits) return fail_at(start, "a number does not fit into 64 bits");
  out = value;
  return true;
}

bool JsonReader::skip() { return !failed() && skip_value(0); }

bool JsonReader::end() {
  if (failed()) return false;
  white_space();
  return position_ >= text_.size() || fail("text after the end");
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than kMaxDepth
bool JsonReader::skip_value(int depth) {
  white_space();
  switch (peek()) {
    case '{':
      return skip_container('}', depth + 1);
    case '[':
      return skip_container(']', depth + 1);
    case '"': {
      std::size_t size = 0;
      return decode(nullptr, size, position_);
    }
    case 't':
      return skip_word("true");
    case 'f':
      return skip_word("false");
    case 'n':
      return skip_word("null");
    default:
      return skip_number();
  }
}

// NOLINTNEXTLINE(misc-no-recursion): no deeper than kMaxDepth
bool JsonReader::skip_container(char closing_bracket, int depth) {
  if (depth > kMaxDepth) return fail("nested too deeply");
  ++position_;
  bool first = true;
  while (next(closing_bracket, first)) {
    if (closing_bracket == '}') {
      white_space();
      std::size_t size = 0;
      if (!decode(nullptr, size, position_) || !take(':', "expected ':'")) return false;
    }
    if (!skip_value(depth)) return false;
  }
  return !failed();
}

bool JsonReader::skip_digits() {
  if (!is_digit(peek())) return fail("expected a digit");
  while (is_digit(peek())) ++position_;
  return true;
}

bool JsonReader::skip_number() {
  if (peek() != '-' && !is_digit(peek())) return fail("expected a value");
  if (peek() == '-') ++position_;
  const std::size_t start = position_;
  if (!skip_digits()) return false;
  if (text_[start] == '0' && position_ - start > 1) return fail_at(start, "a number begins with 0");
  if (peek() == '.') {
    ++position_;
    if (!skip_digits()) return false;
  }
  if (peek() == 'e' || peek() == 'E') {
    ++position_;
    if (peek() == '+' || peek() == '-') ++position_;
    if (!skip_digits()) return false;
  }
  return true;
}

bool JsonReader::skip_word(std::string_view word) {
  if (text_.size() - position_ < word.size() ||
      std::memcmp(text_.data() + position_, word.data(), word.size()) != 0) {
    return fail("expected a value");
  }
  position_ += word.size();
  return true;
}

}  // namespace ravel

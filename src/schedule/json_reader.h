// JsonReader: a pull parser for the little JSON that a Schedule is.
//
// The caller asks for what its schema has next: enter an object, take a key, take a string, skip what it does
// not know. The first error sticks: every later call returns false and does nothing, so that a caller may
// check once at the end. Knows no schema, builds no tree, recurses no deeper than kMaxDepth. Owned by one
// thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "schedule/arena.h"
#include "schedule/schedule.h"

namespace ravel {

class JsonReader {
 public:
  static constexpr int kMaxDepth = 64;

  JsonReader(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  /// The value begins with this bracket: enter it.
  bool enter(char bracket);
  /// Moves to the next element of the container entered last; false: it is over (and left), or an error.
  /// `first` is the caller's, true before the first element.
  bool next(char closing_bracket, bool& first);
  /// Takes a member's key and its colon. The view is in the arena.
  bool key(std::string_view& out);
  bool string(std::string_view& out);
  bool number(std::uint64_t& out);
  /// Takes any one value.
  bool skip();
  /// Nothing but white space may be left.
  bool end();

  /// The offset to which a caller's own complaint is to be attached: that of the value that comes next.
  std::size_t position();
  bool fail(const char* message) { return fail_at(position_, message); }
  bool fail_at(std::size_t offset, const char* message);
  void set_key(const char* key) { key_ = key; }
  bool failed() const { return message_ != nullptr; }
  ScheduleError error() const;

 private:
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void white_space();
  bool take(char expected, const char* message);
  /// Decodes the string at the current position into `to` (nullptr: only counts) and checks it; `end` is
  /// behind it.
  bool decode(char* to, std::size_t& size, std::size_t& end);
  bool decode_escape(std::size_t& at, char* to, std::size_t& size);
  bool decode_unicode(std::size_t& at, char* to, std::size_t& size);
  bool hex4(std::size_t& at, std::uint32_t& out);
  bool skip_value(int depth);
  bool skip_container(char closing_bracket, int depth);
  bool skip_number();
  bool skip_digits();
  bool skip_word(std::string_view word);

  std::string_view text_;
  Arena& arena_;
  std::size_t position_ = 0;
  const char* message_ = nullptr;
  const char* key_ = "";
  std::size_t error_offset_ = 0;
};

}  // namespace ravel

// The words of a stream's notes (event/stream.h).
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace ravel::stream {

/// Takes the first word off `words`.
std::string_view take_word(std::string_view& words);
/// The word without its %XX.
std::string unescape(std::string_view word);

/// False: the word is no such number.
template <typename Number>
bool parse_number(std::string_view word, Number& value, int base) {
  const auto [end, error] = std::from_chars(word.begin(), word.end(), value, base);
  return error == std::errc() && end == word.end();
}

}  // namespace ravel::stream

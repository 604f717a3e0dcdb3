#include "trace/note_words.h"

#include <algorithm>
#include <cstdint>

namespace ravel::stream {

std::string_view take_word(std::string_view& words) {
  const std::size_t end = std::min(words.find(' '), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

std::string unescape(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::uint8_t byte = 0;
    if (word[i] == '%' && i + 2 < word.size() && parse_number(word.substr(i + 1, 2), byte, 16)) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += word[i];
    }
  }
  return text;
}

}  // namespace ravel::stream

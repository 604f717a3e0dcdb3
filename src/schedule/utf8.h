// UTF-8: which bytes are a character.
#pragma once

#include <cstddef>
#include <string_view>

namespace ravel {

/// Length of the well-formed character that `text` begins with (Unicode 15, table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF); 0: there is none.
constexpr std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
  if (first < 0xe0) return 2;
  const unsigned char second = byte(1);
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && second < 0xa0;
    const bool surrogate = first == 0xed && second > 0x9f;
    return overlong || surrogate || !continues(2) ? 0 : 3;
  }
  const bool overlong = first == 0xf0 && second < 0x90;
  const bool too_big = first == 0xf4 && second > 0x8f;
  return overlong || too_big || !continues(2) || !continues(3) ? 0 : 4;
}

}  // namespace ravel

#include "event/place.h"

#include <array>
#include <charconv>

namespace ravel {

std::string Place::text() const {
  if (module.valid()) {
    std::array<char, 16> digits;
    const auto end = std::to_chars(digits.begin(), digits.end(), offset, 16).ptr;
    return file + "+0x" + std::string(digits.begin(), end);
  }
  return file.empty() ? std::to_string(line) : file + ":" + std::to_string(line);
}

}  // namespace ravel

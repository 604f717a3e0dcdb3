#include "runtime/options.h"

#include <string.h>

namespace ravel::rt {
namespace {

constexpr std::size_t kLongest = 4096;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Copies up to a colon or the end, with %XX decoded; null: too long.
const char* take(const char* from, char* to) {
  std::size_t size = 0;
  for (; *from != '\0' && *from != ':'; ++from) {
    char c = *from;
    if (c == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
      c = static_cast<char>(digit(from[1]) * 16 + digit(from[2]));
      from += 2;
    }
    if (size == kLongest - 1) return nullptr;
    to[size++] = c;
  }
  to[size] = '\0';
  return from;
}

bool read_size(const char* text, std::uint64_t& size) {
  std::uint64_t value = 0;
  const char* at = text;
  for (; *at >= '0' && *at <= '9'; ++at) {
    if (value > UINT64_MAX / 16) return false;
    value = value * 10 + static_cast<std::uint64_t>(*at - '0');
  }
  if (at == text) return false;
  unsigned shift = 0;
  if (*at == 'K') shift = 10;
  if (*at == 'M') shift = 20;
  if (*at == 'G') shift = 30;
  if (shift != 0) ++at;
  size = value << shift;
  return *at == '\0' && (size >> shift) == value;
}

}  // namespace

bool Options::read(const char* text) {
  if (text == nullptr) return true;
  char item[kLongest];
  while (*text != '\0') {
    text = take(text, item);
    if (text == nullptr) {
      complain("RAVEL_OPTIONS: a value is too long; nothing is recorded");
      return false;
    }
    if (*text == ':') ++text;
    if (item[0] == '\0') continue;
    char* const equals = strchr(item, '=');
    const char* const value = equals != nullptr ? equals + 1 : "";
    if (equals != nullptr) *equals = '\0';
    bool known = true;
    if (strcmp(item, "record") == 0) {
      known = value[0] != '\0';
      strcpy(record, value);
    } else if (strcmp(item, "schedule") == 0) {
      known = value[0] != '\0';
      strcpy(schedule, value);
    } else if (strcmp(item, "filter") == 0) {
      if (strcmp(value, "owner") == 0)
        filter = FilterLevel::Owner;
      else if (strcmp(value, "segment") == 0)
        filter = FilterLevel::Segment;
      else if (strcmp(value, "none") == 0)
        filter = FilterLevel::None;
      else if (strcmp(value, "all") == 0)
        filter = FilterLevel::All;
      else
        known = false;
    } else if (strcmp(item, "max-size") == 0) {
      known = read_size(value, max_bytes);
    } else {
      known = false;
    }
    if (!known) {
      complain("RAVEL_OPTIONS: not understood, so nothing is recorded: ", item);
      return false;
    }
  }
  return true;
}

}  // namespace ravel::rt

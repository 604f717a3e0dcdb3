// Access patterns: the orders of accesses by two units of work, u and v, to one atomic set that no serial run
// shows.
//
// 1-14 are those of Hammer et al. 2008, Fig. 2. 15-32 are the remaining minimal two-location cycles (they mix
// kinds of conflict, e.g. write skew Ru(x) Rv(y) Wu(y) Wv(x)); together they are complete for two units. 0
// stands for a cycle through three or more units.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ravel {

/// One access of a pattern: by u or v, to location 1 or 2, read or write.
struct PatternAccess {
  bool by_v = false;
  bool second_location = false;
  bool write = false;

  friend constexpr bool operator==(const PatternAccess&, const PatternAccess&) = default;
};

struct AccessPattern {
  std::array<PatternAccess, 4> accesses{};
  std::uint8_t length = 0;

  friend constexpr bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

inline constexpr int kPublishedPatterns = 14;
inline constexpr int kAccessPatterns = 32;
inline constexpr int kManyUnits = 0;  ///< number of a cycle through three or more units

/// Pattern `number` (1 to kAccessPatterns).
const AccessPattern& access_pattern(int number);

/// "Ru(x) Wv(x) Wu(x)"
std::string to_string(const AccessPattern& pattern);

/// What the pattern means for the program, for people.
std::string_view pattern_meaning(int number);

}  // namespace ravel

#include "event/pattern.h"

#include <string_view>

#include "event/check.h"

namespace ravel {
namespace {

// "Ru1 Wv1": kind, unit, location.
constexpr AccessPattern parse(std::string_view text) {
  AccessPattern pattern;
  for (std::size_t i = 0; i + 2 < text.size() + 1; i += 4)
    pattern.accesses[pattern.length++] = {text[i + 1] == 'v', text[i + 2] == '2', text[i] == 'W'};
  return pattern;
}

constexpr std::array kPublished = {
    parse("Ru1 Wv1 Wu1"),     parse("Ru1 Wv1 Ru1"),     parse("Wu1 Rv1 Wu1"),     parse("Wu1 Wv1 Ru1"),
    parse("Wu1 Wv1 Wu1"),     parse("Wu1 Wv1 Wv2 Wu2"), parse("Wu1 Wv2 Wv1 Wu2"), parse("Wu1 Wv2 Wu2 Wv1"),
    parse("Wu1 Rv1 Rv2 Wu2"), parse("Wu1 Rv2 Rv1 Wu2"), parse("Ru1 Wv1 Wv2 Ru2"), parse("Ru1 Wv2 Wv1 Ru2"),
    parse("Ru1 Wv2 Ru2 Wv1"), parse("Wu1 Rv2 Wu2 Rv1"),
};
static_assert(kPublished.size() == kPublishedPatterns);

// A minimal two-location cycle has one conflict u -> v on location 1 and one v -> u on location 2. Up to
// renaming units and locations u's access to location 1 comes first, which leaves three orders, each with 3 x
// 3 kinds of conflict.
constexpr auto make_all() {
  std::array<AccessPattern, kAccessPatterns> all{};
  std::size_t count = 0;
  for (const AccessPattern& pattern : kPublished) all[count++] = pattern;
  constexpr std::array<std::array<bool, 2>, 3> kConflicts = {{{false, true}, {true, false}, {true, true}}};
  for (int order = 0; order < 3; ++order) {
    for (auto [u1_writes, v1_writes] : kConflicts) {
      for (auto [v2_writes, u2_writes] : kConflicts) {
        const PatternAccess u1{false, false, u1_writes}, v1{true, false, v1_writes};
        const PatternAccess v2{true, true, v2_writes}, u2{false, true, u2_writes};
        const AccessPattern pattern = order == 0   ? AccessPattern{{u1, v1, v2, u2}, 4}
                                      : order == 1 ? AccessPattern{{u1, v2, v1, u2}, 4}
                                                   : AccessPattern{{u1, v2, u2, v1}, 4};
        bool published = false;
        for (const AccessPattern& known : kPublished) published |= known == pattern;
        if (!published)
          all[count++] = pattern;  // out of bounds, hence no constant expression, if there were more
      }
    }
  }
  return count == kAccessPatterns ? all : std::array<AccessPattern, kAccessPatterns>{};
}

constexpr auto kAll = make_all();
static_assert(kAll[0].length == 3, "14 published patterns and 18 others make all minimal two-unit cycles");

}  // namespace

const AccessPattern& access_pattern(int number) {
  CHECK(number >= 1 && number <= kAccessPatterns);
  return kAll[static_cast<std::size_t>(number - 1)];
}

std::string to_string(const AccessPattern& pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.length; ++i) {
    const PatternAccess& access = pattern.accesses[i];
    if (i > 0) text += ' ';
    text += access.write ? 'W' : 'R';
    text += access.by_v ? 'v' : 'u';
    text += access.second_location ? "(y)" : "(x)";
  }
  return text;
}

std::string_view pattern_meaning(int number) {
  CHECK(number >= kManyUnits && number <= kAccessPatterns);
  switch (number) {
    case kManyUnits:
      return "three or more units of work each saw only part of another";
    case 1:
      return "u updates from a value that v has meanwhile replaced";
    case 2:
      return "u reads two different values of one location";
    case 3:
      return "v sees a value that u had not finished with";
    case 4:
      return "u does not read back what it wrote";
    case 5:
      return "what v wrote is lost";
    case 6:
    case 7:
    case 8:
      return "the two locations end with values from different units";
    default:
      return "one unit sees or leaves the two locations in a state of no serial run";
  }
}

}  // namespace ravel

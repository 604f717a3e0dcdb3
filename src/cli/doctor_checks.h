// What recording needs of a machine, one check each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ravel {

enum class Health : std::uint8_t {
  Ok,
  Note,     ///< recording works, but the user should know
  Problem,  ///< recording does not work
};

struct Check {
  std::string name;  ///< for programs to look for: never changed once it is there
  Health health = Health::Ok;
  std::string found;   ///< what is the case
  std::string remedy;  ///< what to do about it; empty if it is Ok
};

/// Compilers, and the one the wrappers use without further options.
std::vector<Check> check_compilers(const std::string& scratch);
/// The wrappers and the runtime beside ravel.
std::vector<Check> check_installation();
/// Limits of the system.
std::vector<Check> check_limits(const std::string& temporary);
/// A small program with a race, compiled with each compiler, recorded, and analysed by this ravel. `scratch`
/// is an empty directory.
std::vector<Check> check_by_trial(const std::string& scratch);

}  // namespace ravel

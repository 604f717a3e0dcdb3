// The compiler behind a wrapper: which one, and which family's options it understands.
#pragma once

#include <string>
#include <string_view>

#include "event/result.h"

namespace ravel::instrument {

enum class Language { C, Cxx };
enum class Family { Gcc, Clang };

struct Compiler {
  std::string path;
  Family family = Family::Gcc;
};

/// The driver for `language` that belongs to the named one (g++ and gcc, clang++-19 and clang-19, with any
/// directory and prefix); a name of no known form stays as it is.
std::string driver_for(Language language, std::string_view name);

/// `wanted` is a name on the PATH or a path, for either language; empty: the first of g++ and clang++ (gcc
/// and clang) that is there. The wrappers themselves are never found, under whatever name they are on the
/// PATH.
Result<Compiler> find_compiler(Language language, std::string_view wanted);

}  // namespace ravel::instrument

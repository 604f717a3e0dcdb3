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
  std::string plugin = {};  ///< of ravel's for this clang; empty: none
};

/// The driver for `language` that belongs to the named one (g++ and gcc, clang++-19 and clang-19, with any
/// directory and prefix); a name of no known form stays as it is.
std::string driver_for(Language language, std::string_view name);

/// `wanted` is a name on the PATH or a path, for either language; empty: the first of g++ and clang++ (gcc
/// and clang) that is there. The wrappers themselves are never found, under whatever name they are on the
/// PATH.
Result<Compiler> find_compiler(Language language, std::string_view wanted);

/// The major version of a clang by its name or by where it lies (clang++-19, /usr/lib/llvm-19/bin/clang): a
/// build starts the wrappers too often to ask. 0: that does not tell.
int clang_version(const std::string& path);

}  // namespace ravel::instrument

// The wrappers ravel-cc and ravel-c++: the compiler's own command line, with ThreadSanitizer's calls compiled
// in and ravel's runtime linked in place of ThreadSanitizer's.
//
// ThreadSanitizer's runtime is kept out without taking the command apart, so that lines that compile and link
// at once need no second process:
//   gcc    finds libtsan.so by its search path; -B and -L put a folder first where that name is our runtime
//   clang  is told not to link runtimes; if the user asks for another sanitizer, whose runtime is needed,
//   only
//          the compiler proper hears of ThreadSanitizer and not the driver
#pragma once

#include <span>
#include <string>
#include <vector>

#include "event/result.h"
#include "instrument/compiler.h"
#include "instrument/invocation.h"

namespace ravel::instrument {

/// Where the runtime is. The folder holds libravel_rt.so and, in instead-of-libtsan/, the names gcc looks
/// for.
struct Runtime {
  std::string folder;

  std::string library() const { return folder + "/libravel_rt.so"; }
  std::string instead_of_libtsan() const { return folder + "/instead-of-libtsan"; }
  /// The plugin for a clang of this major version.
  std::string clang_plugin(int version) const {
    return folder + "/ravel_clang" + std::to_string(version) + ".so";
  }
};

/// The runtime beside the running program, or in the folder that RAVEL_RUNTIME_DIR names.
Result<Runtime> find_runtime();

/// The plugin for this compiler that lies beside the runtime; empty: there is none.
std::string find_plugin(const Compiler& compiler);

/// The command to run: compiler first. `runtime` is asked for only if the command links.
Result<std::vector<std::string>> instrumented_command(const Invocation& invocation, const Compiler& compiler,
                                                      Result<Runtime> (*runtime)());

/// Becomes the compiler; returns an exit code if that is not what was asked for, or not possible.
int run_wrapper(Language language, std::span<const std::string> arguments);

}  // namespace ravel::instrument

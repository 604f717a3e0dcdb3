// Invocation: what a compiler's command line asks for, as far as the wrappers must know.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

namespace ravel::instrument {

struct Invocation {
  /// For the compiler: as given, without the wrappers' own options. A response file stays one argument unless
  /// it holds such an option.
  std::vector<std::string> arguments;
  /// The wrappers' own options, --ravel-*, in order.
  std::vector<std::string> own;

  bool asks = false;        ///< about the compiler itself (--version, -print-*): nothing is compiled
  bool has_input = false;   ///< a file, standard input, a library
  bool links = false;       ///< makes a program or a shared library
  bool is_static = false;   ///< -static or -static-pie
  bool only_asm = false;    ///< what is to be compiled is assembler code
  bool thread_off = false;  ///< -fno-sanitize=thread has the last word
  /// Sanitizers asked for, besides thread.
  std::set<std::string, std::less<>> sanitizers;

  static Invocation parse(std::span<const std::string> arguments);
};

}  // namespace ravel::instrument

// Code addresses: where a hook was called from, in 32 bits (event/stream.h).
#pragma once

#include <cstdint>

#include "runtime/platform.h"

namespace ravel::rt {

struct Thread;

/// A place in the code, from the return address of a hook or interceptor.
using Pc = std::uintptr_t;

struct CodeRange {
  std::uintptr_t begin;
  std::uintptr_t bytes;
  std::uint32_t code;  ///< of `begin`
};

// The program itself comes first in the list: most calls are from there.
extern CodeRange main_code;

RAVEL_NOINLINE std::uint32_t find_code(std::uintptr_t pc);

/// In the program itself, which is never unloaded.
RAVEL_INLINE bool is_main_code(Pc pc) { return pc - main_code.begin < main_code.bytes; }
RAVEL_INLINE std::uint32_t main_code_of(Pc pc) {
  return main_code.code + static_cast<std::uint32_t>((pc - main_code.begin) >> 2);
}
/// 0: outside all modules.
RAVEL_INLINE std::uint32_t code_of(Pc pc) { return is_main_code(pc) ? main_code_of(pc) : find_code(pc); }

/// Looks for modules that have come since, and notes them in the stream.
void update_modules();
/// Forgets those that are gone: their code and data addresses may be others' from now on.
void retire_modules(Thread& self);
/// In a forked child.
void free_module_lock();
/// In a new stream: notes all of them again.
void note_modules_again();

}  // namespace ravel::rt

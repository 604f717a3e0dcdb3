// Code addresses: where a hook was called from, in 32 bits (event/stream.h).
#pragma once

#include <cstdint>

#include "runtime/platform.h"

namespace ravel::rt {

struct Thread;

struct CodeRange {
  std::uintptr_t begin;
  std::uintptr_t bytes;
  std::uint32_t code;  ///< of `begin`
};

// The program itself comes first in the list: most calls are from there.
extern CodeRange main_code;

RAVEL_NOINLINE std::uint32_t find_code(std::uintptr_t pc);

/// 0: outside all modules.
RAVEL_INLINE std::uint32_t code_of(std::uintptr_t pc) {
  const std::uintptr_t offset = pc - main_code.begin;
  return offset < main_code.bytes ? main_code.code + static_cast<std::uint32_t>(offset >> 2) : find_code(pc);
}

/// Looks for modules that have come since, and notes them in the stream.
void update_modules();
/// Forgets those that are gone: their code and data addresses may be others' from now on.
void retire_modules(Thread& self);
/// In a forked child.
void free_module_lock();
/// In a new stream: notes all of them again.
void note_modules_again();

}  // namespace ravel::rt

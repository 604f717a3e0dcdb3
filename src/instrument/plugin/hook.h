// Hook: a call that ThreadSanitizer's pass has put before an access, as far as a glance at the shadow can
// take its place.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <string>

namespace ravel::instrument {

struct Hook {
  unsigned bytes = 0;
  bool writes = false;
  bool aligned = true;  ///< to its size, hence within one cell

  /// The function of the runtime that goes on if the glance does not decide.
  std::string slow_function() const;
};

/// The hook of this name. None: it is none, or one that stays a call (volatile and atomic accesses, those of
/// 16 bytes and of any number of bytes, entry and exit of functions).
std::optional<Hook> hook_named(llvm::StringRef name);

/// The hook that this instruction calls.
std::optional<Hook> hook_called(const llvm::Instruction& instruction);

}  // namespace ravel::instrument

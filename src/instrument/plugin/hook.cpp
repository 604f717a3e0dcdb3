#include "instrument/plugin/hook.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "event/inline_check.h"

namespace ravel::instrument {

std::string Hook::slow_function() const {
  return std::string(inline_check::kFunctionPrefix) + (writes ? "write" : "read") + std::to_string(bytes);
}

std::optional<Hook> hook_named(llvm::StringRef name) {
  if (!name.consume_front("__tsan_")) return std::nullopt;
  // A virtual call reads the pointer to the table.
  if (name == "vptr_read") return Hook{.bytes = 8};
  Hook hook;
  hook.aligned = !name.consume_front("unaligned_");
  hook.writes = name.consume_front("write");
  if (!hook.writes && !name.consume_front("read")) return std::nullopt;
  if (name.getAsInteger(10, hook.bytes)) return std::nullopt;
  const bool fits = hook.bytes == 1 || hook.bytes == 2 || hook.bytes == 4 || hook.bytes == 8;
  return fits ? std::optional(hook) : std::nullopt;
}

std::optional<Hook> hook_called(const llvm::Instruction& instruction) {
  const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->arg_size() != 1) return std::nullopt;
  const llvm::Function* const function = call->getCalledFunction();
  return function != nullptr ? hook_named(function->getName()) : std::nullopt;
}

}  // namespace ravel::instrument

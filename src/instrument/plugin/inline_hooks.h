// InlineHooks: puts the first glance of the hooks of accesses (event/inline_check.h) into the code, where
// ThreadSanitizer's pass has put calls.
#pragma once

#include <llvm/IR/PassManager.h>

namespace ravel::instrument {

class InlineHooks : public llvm::PassInfoMixin<InlineHooks> {
 public:
  // The names are LLVM's.
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }  // NOLINT(readability-identifier-naming)
};

}  // namespace ravel::instrument

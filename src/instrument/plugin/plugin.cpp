// The plugin for clang's optimiser that `ravel-c++` loads (-fpass-plugin).
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <string>

#include "instrument/plugin/inline_hooks.h"
#include "version.h"

namespace {

// Whoever asks LLVM for it wants a string with an end.
const std::string kPluginVersion(ravel::kVersion);

/// Callbacks run in the order in which they were added, and clang adds its sanitizers' after the plugins'. So
/// ours is added when clang begins to put the passes together: it finds ThreadSanitizer's calls in place.
/// Without optimisation they stay calls.
void add_callbacks(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [&builder](llvm::ModulePassManager& /*passes*/, llvm::OptimizationLevel /*level*/) {
        builder.registerOptimizerLastEPCallback(
            [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
              if (level == llvm::OptimizationLevel::O0) return;
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(ravel::instrument::InlineHooks()));
            });
      });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "ravel", kPluginVersion.c_str(), add_callbacks};
}

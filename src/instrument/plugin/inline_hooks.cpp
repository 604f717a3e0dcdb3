#include "instrument/plugin/inline_hooks.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>

#include "event/inline_check.h"
#include "instrument/plugin/hook.h"

namespace ravel::instrument {
namespace {

using llvm::BasicBlock;
using llvm::CallInst;
using llvm::Function;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Module;
using llvm::Value;

/// A call to replace.
struct Site {
  CallInst* call;
  Hook hook;
  llvm::DebugLoc location;
  bool thread_known;  ///< as at the site before, which is in the same block
};

/// What the program fetches ahead, it will access.
bool is_prefetch(const Instruction& instruction) {
  const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::prefetch;
}

/// Whether the runtime may have switched the hooks on or off when it is back. (The functions that glances
/// call may do so, too, when the recording ends; they ask again.)
bool may_switch_hooks(const Instruction& instruction) {
  return llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction);
}

llvm::DebugLoc location_of(const Function& function) {
  llvm::DISubprogram* const program = function.getSubprogram();
  if (program == nullptr) return {};
  return llvm::DILocation::get(function.getContext(), program->getScopeLine(), 0, program);
}

llvm::SmallVector<Site> sites_in(Function& function) {
  llvm::SmallVector<Site> sites;
  // What the compiler has made of several lines has none. Who looks one up then takes that of the code
  // before; but the calls of the runtime lie apart from their accesses.
  llvm::DebugLoc location = location_of(function);
  for (BasicBlock& block : function) {
    bool thread_known = false;
    for (Instruction& instruction : block) {
      if (const llvm::DebugLoc& own = instruction.getDebugLoc(); own && own.getLine() != 0) location = own;
      if (const auto hook = hook_called(instruction)) {
        sites.push_back({llvm::cast<CallInst>(&instruction), *hook, location, thread_known});
        thread_known = true;
      } else if (may_switch_hooks(instruction)) {
        thread_known = false;
      }
    }
  }
  return sites;
}

/// Where in its cell the access begins, if that is known here. What follows the hook is the access itself,
/// and says how the address is aligned.
std::optional<unsigned> first_byte(CallInst& call, const llvm::DataLayout& layout) {
  Value* const address = call.getArgOperand(0);
  llvm::KnownBits known = llvm::computeKnownBits(address, layout);
  if (Instruction* const access = call.getNextNonDebugInstruction();
      access != nullptr && llvm::getLoadStorePointerOperand(access) == address)
    known.Zero.setLowBits(llvm::Log2(llvm::getLoadStoreAlignment(access)));
  if (known.hasConflict()) return std::nullopt;
  const llvm::KnownBits low = known.trunc(3);
  return low.isConstant() ? std::optional(static_cast<unsigned>(low.getConstant().getZExtValue()))
                          : std::nullopt;
}

/// Writes the glances of one function.
class Writer {
 public:
  explicit Writer(Function& function)
      : module_(*function.getParent()),
        pointer_(llvm::PointerType::getUnqual(module_.getContext())),
        word_(llvm::Type::getInt64Ty(module_.getContext())) {}

  /// The shadow of what the program fetches is fetched, too: its memory may be there in time, but the glance
  /// would have to wait.
  void fetch_shadow(CallInst& prefetch) {
    IRBuilder<> before(&prefetch);
    Value* const thread = before.CreateLoad(pointer_, before.CreateThreadLocalAddress(this->thread()));
    IRBuilder<> builder(
        llvm::SplitBlockAndInsertIfThen(before.CreateIsNotNull(thread), prefetch.getIterator(), false));
    builder.SetCurrentDebugLocation(prefetch.getDebugLoc());
    Value* const offset = shadow_offset(builder, builder.CreatePtrToInt(prefetch.getArgOperand(0), word_));
    const auto fetch = [&](Value* at, std::uint64_t shadow) {
      builder.CreateIntrinsic(
          llvm::Intrinsic::prefetch, {pointer_},
          {builder.CreateIntToPtr(builder.CreateAdd(at, builder.getInt64(shadow)), pointer_),
           builder.getInt32(1), builder.getInt32(3), builder.getInt32(1)});
    };
    fetch(offset, inline_check::kReadShadow);
    fetch(offset, inline_check::kWriteShadow);
    // A line of the program's memory has two of these.
    constexpr std::uint64_t kLine = 64;
    Value* const further = builder.CreateShl(offset, 1);
    fetch(further, inline_check::kFurtherShadow);
    fetch(further, inline_check::kFurtherShadow + kLine);
  }

  void replace(const Site& site) {
    CallInst& call = *site.call;
    const Hook& hook = site.hook;
    IRBuilder<> before(&call);
    if (!site.thread_known) thread_ = before.CreateLoad(pointer_, before.CreateThreadLocalAddress(thread()));

    Instruction* const recorded =
        llvm::SplitBlockAndInsertIfThen(before.CreateIsNotNull(thread_), call.getIterator(), false);
    IRBuilder<> glance(recorded);
    glance.SetCurrentDebugLocation(site.location);
    count(glance);
    Value* const undecided = look(glance, call, hook);

    Instruction* const decided =
        llvm::SplitBlockAndInsertIfThen(undecided, recorded->getIterator(), false,
                                        llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
    IRBuilder<> slow(decided);
    slow.SetCurrentDebugLocation(site.location);
    go_on(slow, call.getArgOperand(0), hook);
    call.eraseFromParent();
  }

 private:
  llvm::GlobalVariable* thread() {
    if (auto* const known = module_.getNamedGlobal(inline_check::kThread)) return known;
    // The runtime is always there from the start of the program or of the library, and has little of its own.
    return new llvm::GlobalVariable(module_, pointer_, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                    inline_check::kThread, nullptr, llvm::GlobalValue::InitialExecTLSModel);
  }

  Value* field(IRBuilder<>& builder, std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), thread_, offset);
  }

  void count(IRBuilder<>& builder) {
    Value* const ordinal = field(builder, inline_check::kOrdinalAt);
    Value* const value = builder.CreateLoad(builder.getInt32Ty(), ordinal);
    builder.CreateStore(builder.CreateAdd(value, builder.getInt32(1)), ordinal);
  }

  Value* shadow_offset(IRBuilder<>& builder, Value* address) {
    return builder.CreateAnd(address, inline_check::kAddressMask & ~std::uint64_t{7});
  }

  /// Whether the runtime must have a closer look.
  Value* look(IRBuilder<>& builder, CallInst& call, const Hook& hook) {
    const std::optional<unsigned> known_first = first_byte(call, module_.getDataLayout());
    if (known_first && *known_first + hook.bytes > 8) return builder.getTrue();

    Value* const address = builder.CreatePtrToInt(call.getArgOperand(0), word_);
    Value* const slot = builder.CreateAdd(
        shadow_offset(builder, address),
        builder.getInt64(hook.writes ? inline_check::kWriteShadow : inline_check::kReadShadow));
    llvm::LoadInst* const word =
        builder.CreateAlignedLoad(word_, builder.CreateIntToPtr(slot, pointer_), llvm::Align(8));
    word->setAtomic(llvm::AtomicOrdering::Monotonic);

    // A tag has no bits of bytes: those of the word stay what they are.
    Value* const tag = builder.CreateLoad(word_, field(builder, inline_check::kHotTagAt));
    Value* const difference = builder.CreateXor(word, tag);
    const std::uint64_t code = inline_check::kBytesMask >> (8 - hook.bytes);
    Value* bytes = builder.getInt64(code << known_first.value_or(0));
    Value* first = nullptr;
    if (!known_first) {
      first = builder.CreateAnd(address, 7);
      bytes = builder.CreateShl(bytes, first);
    }
    Value* const looked_at = builder.CreateAnd(difference, builder.CreateOr(bytes, inline_check::kTagMask));
    Value* undecided = builder.CreateICmpNE(looked_at, bytes);
    if (!hook.aligned && hook.bytes > 1 && !known_first)
      undecided = builder.CreateOr(undecided, builder.CreateICmpUGT(first, builder.getInt64(8 - hook.bytes)));
    return undecided;
  }

  void go_on(IRBuilder<>& builder, Value* address, const Hook& hook) {
    llvm::FunctionCallee callee = module_.getOrInsertFunction(
        hook.slow_function(), llvm::FunctionType::get(builder.getVoidTy(), {pointer_}, false));
    if (auto* const function = llvm::dyn_cast<Function>(callee.getCallee())) {
      function->setCallingConv(llvm::CallingConv::PreserveMost);
      function->setDoesNotThrow();
      // The dynamic linker would change registers when it binds at the first call.
      function->addFnAttr(llvm::Attribute::NonLazyBind);
    }
    CallInst* const call = builder.CreateCall(callee, {address});
    call->setCallingConv(llvm::CallingConv::PreserveMost);
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::Cold);
    call->addFnAttr(llvm::Attribute::NonLazyBind);
    // The return address is the place of the access.
    call->setCannotMerge();
  }

  Module& module_;
  llvm::PointerType* pointer_;
  llvm::IntegerType* word_;
  Value* thread_ = nullptr;  ///< as loaded for the latest site
};

}  // namespace

llvm::PreservedAnalyses InlineHooks::run(Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
  const llvm::SmallVector<Site> sites = sites_in(function);
  if (sites.empty()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<CallInst*> prefetches;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block)
      if (is_prefetch(instruction)) prefetches.push_back(llvm::cast<CallInst>(&instruction));
  Writer writer(function);
  for (const Site& site : sites) writer.replace(site);
  for (CallInst* const prefetch : prefetches) writer.fetch_shadow(*prefetch);
  return llvm::PreservedAnalyses::none();
}

}  // namespace ravel::instrument

#include "instrument/plugin/inline_hooks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <deque>
#include <optional>
#include <vector>

#include "event/inline_check.h"
#include "instrument/plugin/neighbours.h"

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
  Access access;
  llvm::DebugLoc location;
  bool in_row;  ///< as the site before, which is in the same block: the thread and its time are the same
  // Of neighbours:
  const Neighbours* group = nullptr;
  bool is_first = false;  ///< of them
  unsigned runs = 0;      ///< so many of them come from here on, and nobody else; 0: it is in another's run
};

/// The sites of a function, and which of them are neighbours.
struct Sites {
  std::vector<Site> all;
  std::deque<Neighbours> groups;
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

/// Finds the neighbours in a row of sites.
void join_neighbours(llvm::MutableArrayRef<Site> row, const llvm::DataLayout& layout, Sites& sites) {
  llvm::SmallVector<Access> accesses;
  for (const Site& site : row) accesses.push_back(site.access);
  for (Neighbours& found : find_neighbours(accesses, layout)) {
    const Neighbours& group = sites.groups.emplace_back(std::move(found));
    row[group.members.front()].is_first = true;
    for (const unsigned member : group.members) row[member].group = &group;
  }
  for (std::size_t i = 0, next = 0; i < row.size(); i = next) {
    for (next = i + 1; row[i].group != nullptr && next < row.size() && row[next].group == row[i].group;)
      ++next;
    row[i].runs = static_cast<unsigned>(next - i);
  }
}

Sites sites_in(Function& function) {
  Sites sites;
  // What the compiler has made of several lines has none. Who looks one up then takes that of the code
  // before; but the calls of the runtime lie apart from their accesses.
  llvm::DebugLoc location = location_of(function);
  for (BasicBlock& block : function) {
    bool in_row = false;
    for (Instruction& instruction : block) {
      if (const llvm::DebugLoc& own = instruction.getDebugLoc(); own && own.getLine() != 0) location = own;
      if (const auto hook = hook_called(instruction)) {
        sites.all.push_back({{llvm::cast<CallInst>(&instruction), *hook}, location, in_row});
        in_row = true;
      } else if (may_switch_hooks(instruction)) {
        in_row = false;
      }
    }
  }
  const llvm::MutableArrayRef<Site> all = sites.all;
  for (std::size_t i = 0, next = 0; i < all.size(); i = next) {
    for (next = i + 1; next < all.size() && all[next].in_row;) ++next;
    join_neighbours(all.slice(i, next - i), function.getParent()->getDataLayout(), sites);
  }
  return sites;
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
    CallInst& call = *site.access.call;
    IRBuilder<> before(&call);
    before.SetCurrentDebugLocation(site.location);
    if (!site.in_row) thread_ = before.CreateLoad(pointer_, before.CreateThreadLocalAddress(thread()));
    if (site.group == nullptr) {
      decide(site, call.getIterator());
    } else {
      if (site.is_first) decided_[site.group] = look_at_all(site, *site.group, call.getIterator());
      decide_unless(decided_[site.group], site);
    }
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

  void count(IRBuilder<>& builder, unsigned hooks) {
    Value* const ordinal = field(builder, inline_check::kOrdinalAt);
    Value* const value = builder.CreateLoad(builder.getInt32Ty(), ordinal);
    builder.CreateStore(builder.CreateAdd(value, builder.getInt32(hooks)), ordinal);
  }

  llvm::MDNode* unlikely() { return llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights(); }

  /// The hook of one access.
  void decide(const Site& site, BasicBlock::iterator at) {
    IRBuilder<> before(&*at);
    Instruction* const recorded = llvm::SplitBlockAndInsertIfThen(before.CreateIsNotNull(thread_), at, false);
    IRBuilder<> glance(recorded);
    glance.SetCurrentDebugLocation(site.location);
    count(glance, 1);
    Value* const undecided = look(glance, site.access);
    Instruction* const decided =
        llvm::SplitBlockAndInsertIfThen(undecided, recorded->getIterator(), false, unlikely());
    IRBuilder<> slow(decided);
    slow.SetCurrentDebugLocation(site.location);
    go_on(slow, site.access.call->getArgOperand(0), site.access.hook);
  }

  /// The same for one of neighbours, about which one glance may have decided. Those that follow each other
  /// are counted together.
  void decide_unless(Value* decided, const Site& site) {
    const BasicBlock::iterator at = site.access.call->getIterator();
    if (site.runs == 0) {
      IRBuilder<> before(&*at);
      return decide(
          site,
          llvm::SplitBlockAndInsertIfThen(before.CreateNot(decided), at, false, unlikely())->getIterator());
    }
    Instruction *then = nullptr, *otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(decided, at, &then, &otherwise,
                                        llvm::MDBuilder(module_.getContext()).createLikelyBranchWeights());
    IRBuilder<> together(then);
    together.SetCurrentDebugLocation(site.location);
    count(together, site.runs);
    decide(site, otherwise->getIterator());
  }

  /// Whether nothing is to be done about a group of neighbours.
  Value* look_at_all(const Site& site, const Neighbours& group, BasicBlock::iterator at) {
    IRBuilder<> before(&*at);
    Value* const recorded = before.CreateIsNotNull(thread_);
    BasicBlock* const unrecorded = at->getParent();
    Instruction* const end = llvm::SplitBlockAndInsertIfThen(recorded, at, false);
    IRBuilder<> glance(end);
    glance.SetCurrentDebugLocation(site.location);
    Value* const address = glance.CreateAdd(glance.CreatePtrToInt(site.access.call->getArgOperand(0), word_),
                                            glance.getInt64(static_cast<std::uint64_t>(group.offset)));
    Value* const differs =
        difference(glance, address, group.writes, group.bytes, group.first, group.in_one_cell);
    Value* const same = glance.CreateICmpEQ(differs, glance.getInt64(0));
    IRBuilder<> after(&*at);
    llvm::PHINode* const decided = after.CreatePHI(after.getInt1Ty(), 2);
    decided->addIncoming(after.getFalse(), unrecorded);
    decided->addIncoming(same, end->getParent());
    return decided;
  }

  Value* shadow_offset(IRBuilder<>& builder, Value* address) {
    return builder.CreateAnd(address, inline_check::kAddressMask & ~std::uint64_t{7});
  }

  /// 0 if the thread has accessed these bytes at this time: a bit each, from `address` on, or the first one
  /// is where in its cell it is known to be.
  Value* difference(IRBuilder<>& builder, Value* address, bool writes, std::uint64_t bytes,
                    std::optional<unsigned> first, bool in_one_cell) {
    Value* const at = first ? builder.getInt64(bytes << *first)
                            : builder.CreateShl(builder.getInt64(bytes), builder.CreateAnd(address, 7));
    if (in_one_cell) return difference_in_cell(builder, address, writes, at);
    Value* const last = builder.CreateAdd(address, builder.getInt64(llvm::Log2_64(bytes)));
    // In the same cell, there are no bytes left for the second look.
    return builder.CreateOr(
        difference_in_cell(builder, address, writes, builder.CreateAnd(at, inline_check::kBytesMask)),
        difference_in_cell(builder, last, writes, builder.CreateLShr(at, 8)));
  }

  /// The same for these bytes of the cell.
  Value* difference_in_cell(IRBuilder<>& builder, Value* address, bool writes, Value* bytes) {
    Value* const slot =
        builder.CreateAdd(shadow_offset(builder, address),
                          builder.getInt64(writes ? inline_check::kWriteShadow : inline_check::kReadShadow));
    llvm::LoadInst* const word =
        builder.CreateAlignedLoad(word_, builder.CreateIntToPtr(slot, pointer_), llvm::Align(8));
    word->setAtomic(llvm::AtomicOrdering::Monotonic);
    // A tag has no bits of bytes: those of the word stay what they are.
    Value* const tag = builder.CreateLoad(word_, field(builder, inline_check::kHotTagAt));
    Value* const looked_at =
        builder.CreateAnd(builder.CreateXor(word, tag), builder.CreateOr(bytes, inline_check::kTagMask));
    return builder.CreateXor(looked_at, bytes);
  }

  /// Whether the runtime must have a closer look.
  Value* look(IRBuilder<>& builder, const Access& access) {
    const Hook& hook = access.hook;
    const std::optional<unsigned> first = first_byte(*access.call, module_.getDataLayout());
    const bool in_one_cell = first ? *first + hook.bytes <= 8 : hook.aligned || hook.bytes == 1;
    Value* const address = builder.CreatePtrToInt(access.call->getArgOperand(0), word_);
    Value* const differs =
        difference(builder, address, hook.writes, (1U << hook.bytes) - 1, first, in_one_cell);
    return builder.CreateICmpNE(differs, builder.getInt64(0));
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
  llvm::DenseMap<const Neighbours*, Value*> decided_;
};

}  // namespace

llvm::PreservedAnalyses InlineHooks::run(Function& function, llvm::FunctionAnalysisManager& /*analyses*/) {
  const Sites sites = sites_in(function);
  if (sites.all.empty()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<CallInst*> prefetches;
  for (BasicBlock& block : function)
    for (Instruction& instruction : block)
      if (is_prefetch(instruction)) prefetches.push_back(llvm::cast<CallInst>(&instruction));
  Writer writer(function);
  for (const Site& site : sites.all) writer.replace(site);
  for (CallInst* const prefetch : prefetches) writer.fetch_shadow(*prefetch);
  return llvm::PreservedAnalyses::none();
}

}  // namespace ravel::instrument

#include "instrument/plugin/neighbours.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <utility>

namespace ravel::instrument {
namespace {

constexpr std::int64_t kCell = 8;

/// An access of the row, by its offset from what several addresses are computed from.
struct Placed {
  unsigned number;
  std::int64_t begin;
  const Access* access;

  std::int64_t end() const { return begin + access->hook.bytes; }
};

std::uint64_t bytes_of(const Placed& placed, std::int64_t from) {
  return ((std::uint64_t{1} << placed.access->hook.bytes) - 1) << (placed.begin - from);
}

/// Where in its cell an address is.
unsigned byte_of(std::int64_t address) { return static_cast<unsigned>(address & (kCell - 1)); }

/// One glance at two cells costs nearly as much as two glances.
constexpr std::size_t kFewInTwoCells = 3;

/// Adds a group of those that lie in at most eight bytes, if it is worth it. `base_byte`: where what their
/// offsets are from is in its cell, if that is known.
void add(llvm::ArrayRef<Placed> placed, bool writes, std::optional<std::int64_t> base_byte,
         llvm::SmallVector<Neighbours>& groups) {
  if (placed.size() < 2) return;
  Neighbours group;
  group.writes = writes;
  std::int64_t begin = placed[0].begin;
  const Placed* head = placed.data();
  for (const Placed& one : placed) {
    begin = std::min(begin, one.begin);
    if (one.number < head->number) head = &one;
  }
  for (const Placed& one : placed) {
    group.members.push_back(one.number);
    group.bytes |= bytes_of(one, begin);
  }
  std::ranges::sort(group.members);
  group.offset = begin - head->begin;
  if (base_byte) group.first = byte_of(*base_byte + begin);
  group.in_one_cell = base_byte || std::ranges::any_of(placed, [&](const Placed& one) {
                        const Hook& hook = one.access->hook;
                        return (hook.aligned || hook.bytes == 1) && bytes_of(one, begin) == group.bytes;
                      });
  if (group.in_one_cell || placed.size() >= kFewInTwoCells) groups.push_back(std::move(group));
}

/// The same for accesses of both kinds.
void add_both(llvm::ArrayRef<Placed> placed, std::optional<std::int64_t> base_byte,
              llvm::SmallVector<Neighbours>& groups) {
  llvm::SmallVector<Placed> reads, writes;
  std::uint64_t read = 0, written = 0;
  for (const Placed& one : placed) {
    (one.access->hook.writes ? writes : reads).push_back(one);
    (one.access->hook.writes ? written : read) |= bytes_of(one, placed.front().begin);
  }
  // What a thread has written at this time, it need not tell to have read.
  if (!writes.empty() && (read & ~written) == 0) return add(placed, true, base_byte, groups);
  add(reads, false, base_byte, groups);
  add(writes, true, base_byte, groups);
}

}  // namespace

std::optional<unsigned> first_byte(llvm::CallInst& call, const llvm::DataLayout& layout) {
  llvm::Value* const address = call.getArgOperand(0);
  llvm::KnownBits known = llvm::computeKnownBits(address, layout);
  // What follows the hook is the access itself, and says how the address is aligned.
  if (llvm::Instruction* const access = call.getNextNonDebugInstruction();
      access != nullptr && llvm::getLoadStorePointerOperand(access) == address)
    known.Zero.setLowBits(llvm::Log2(llvm::getLoadStoreAlignment(access)));
  if (known.hasConflict()) return std::nullopt;
  const llvm::KnownBits low = known.trunc(3);
  return low.isConstant() ? std::optional(static_cast<unsigned>(low.getConstant().getZExtValue()))
                          : std::nullopt;
}

llvm::SmallVector<Neighbours> find_neighbours(llvm::ArrayRef<Access> row, const llvm::DataLayout& layout) {
  llvm::MapVector<const llvm::Value*, llvm::SmallVector<Placed>> by_base;
  for (unsigned i = 0; i < row.size(); ++i) {
    std::int64_t offset = 0;
    const llvm::Value* const base =
        llvm::GetPointerBaseWithConstantOffset(row[i].call->getArgOperand(0), offset, layout);
    by_base[base].push_back({i, offset, &row[i]});
  }
  llvm::SmallVector<Neighbours> groups;
  for (auto& [base, placed] : by_base) {
    if (placed.size() < 2) continue;
    std::ranges::sort(placed, {}, [](const Placed& one) { return std::pair(one.begin, one.number); });
    std::optional<std::int64_t> base_byte;
    for (const Placed& one : placed)
      if (const auto first = first_byte(*one.access->call, layout); first && !base_byte)
        base_byte = byte_of(static_cast<std::int64_t>(*first) - one.begin);
    for (std::size_t from = 0; from < placed.size();) {
      const std::int64_t begin = placed[from].begin;
      const std::int64_t limit = begin + kCell - (base_byte ? byte_of(*base_byte + begin) : 0);
      llvm::SmallVector<Placed> together;
      for (; from < placed.size() && placed[from].begin < limit; ++from)
        if (placed[from].end() <= limit) together.push_back(placed[from]);
      if (!together.empty()) add_both(together, base_byte, groups);
    }
  }
  return groups;
}

}  // namespace ravel::instrument

#include "runtime/annex.h"

namespace ravel::rt {
namespace {

constexpr std::size_t kAnnexes = std::size_t{1} << 20;
constexpr std::size_t kBytes = kAnnexes * sizeof(Annex);
constexpr std::uintptr_t kTaken = 1;
constinit Annex* annexes = nullptr;

Annex& annex_of(std::uintptr_t cell_address) {
  const std::uintptr_t word = cell_address / 8;  // cells side by side have theirs side by side
  return annexes[(word ^ word >> 20) % kAnnexes];
}

/// Takes it, and returns whose it was.
std::uintptr_t take(Annex& annex) {
  for (int i = 0;; ++i) {
    std::uintptr_t cell = __atomic_load_n(&annex.cell, __ATOMIC_RELAXED);
    if ((cell & kTaken) == 0 && __atomic_compare_exchange_n(&annex.cell, &cell, cell | kTaken, false,
                                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      return cell;
    pause_or_yield(i);
  }
}

/// Whether the annex, which is taken, is or may be in use for that cell. Who uses a cell without locking it
/// takes the annex before it sets the mark, and leaves it after that.
bool is_needed(std::uintptr_t cell_address) {
  const Cell cell(cell_address);
  const std::uint64_t read = __atomic_load_n(&cell.read(), __ATOMIC_ACQUIRE);
  if ((read & kLocked) != 0) return true;
  return (read & kFurther) != 0 && (__atomic_load_n(&cell.further()[0], __ATOMIC_RELAXED) & kAnnexed) != 0;
}

}  // namespace

Annex& take_annex(std::uintptr_t cell_address) {
  Annex& annex = annex_of(cell_address);
  take(annex);
  return annex;
}

Annex* try_annex(std::uintptr_t cell_address) {
  Annex& annex = annex_of(cell_address);
  const std::uintptr_t owner = take(annex);
  if (owner != 0 && owner != cell_address && is_needed(owner)) {
    leave_annex(annex, owner);
    return nullptr;
  }
  for (std::uint64_t& slot : annex.slots) slot = 0;
  return &annex;
}

bool map_annexes() {
  annexes = static_cast<Annex*>(reserve_memory(kBytes));
  return annexes != nullptr;
}

void forget_annexes() { forget_memory(reinterpret_cast<std::uintptr_t>(annexes), kBytes); }

}  // namespace ravel::rt

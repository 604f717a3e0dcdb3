#include "analysis/variables.h"

#include <bit>

namespace ravel {

std::uint64_t Variables::address(VariableId id) const {
  const Row& row = rows_[id.index()];
  return row.word + static_cast<std::uint64_t>(std::countr_zero(row.bytes));
}

std::string Variables::name(VariableId id, const Tables& tables) const {
  return tables.name(TargetSpace::Variable, address(id));
}

}  // namespace ravel

// What tests set about cp; everybody else finds it by name (analysis.h).
#pragma once

#include <cstddef>
#include <memory>

#include "analysis/analysis.h"

namespace ravel {

struct CpOptions {
  /// A race becomes an edge before the next one is looked for. Off: every pair that the relation leaves
  /// unordered, as far as one earlier access per thread is remembered.
  bool continuation = true;
  /// Events of the shortest window, unless the trace ends; one that is too short is not worth its trouble.
  std::size_t min_window = 64;
  /// Events after which a window ends though sections are open.
  std::size_t max_window = std::size_t{1} << 20;
};

std::unique_ptr<Analysis> make_cp(const CpOptions& options);

}  // namespace ravel

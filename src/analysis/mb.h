// What tests set about mb; everybody else finds it by name (analysis.h).
#pragma once

#include <cstddef>
#include <memory>

#include "analysis/analysis.h"

namespace ravel {

struct MbOptions {
  bool embedded_hb = true;                        ///< report the races of hb, too
  std::size_t min_events = 64;                    ///< nothing is decided before so many
  std::size_t max_events = std::size_t{1} << 20;  ///< ... and after so many, though sections are open
};

std::unique_ptr<Analysis> make_mb(const MbOptions& options);

}  // namespace ravel

// What tests set about wcp; everybody else finds it by name (analysis.h).
#pragma once

#include <memory>

#include "analysis/analysis.h"

namespace ravel {

struct WcpOptions {
  /// As in CpOptions.
  bool continuation = true;
};

std::unique_ptr<Analysis> make_wcp(const WcpOptions& options);

}  // namespace ravel

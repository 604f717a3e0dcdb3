// RapidBin (`.data`), the binary traces of the RAPID tools: read only (docs/trace-format.md).
#pragma once

#include <memory>
#include <string>

#include "event/result.h"
#include "trace/reader.h"

namespace ravel {

Result<std::unique_ptr<TraceReader>> open_rapidbin(const std::string& path);

}  // namespace ravel

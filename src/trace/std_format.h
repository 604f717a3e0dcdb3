// STD (.std), the text format of RAPID; std_format.cpp describes it.
#pragma once

#include <memory>
#include <string>

#include "event/result.h"
#include "trace/reader.h"

namespace ravel {

Result<std::unique_ptr<TraceReader>> open_std(const std::string& path);
/// Operations that STD does not have are errors; values, widths and source files are lost and counted.
Result<std::unique_ptr<TraceWriter>> create_std(const std::string& path, const TraceHeader& header);

}  // namespace ravel

// The registry of trace formats: which exist, and which one a file is in.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "event/result.h"
#include "trace/reader.h"

namespace ravel {

/// One trace format. `create` is null for formats that are only read.
struct TraceFormat {
  std::string_view name;       ///< for --from and --to
  std::string_view extension;  ///< ".tid"
  std::string_view summary;    ///< one line for --help
  Result<std::unique_ptr<TraceReader>> (*open)(const std::string& path);
  Result<std::unique_ptr<TraceWriter>> (*create)(const std::string& path, const TraceHeader& header);
};

/// A static object of this type in a format's file makes the format known.
struct RegisterFormat {
  explicit RegisterFormat(const TraceFormat& format);
};

/// All formats, by name.
std::span<const TraceFormat* const> trace_formats();

/// The format called `name` or, if that is empty, the one of the path's extension.
Result<const TraceFormat*> find_format(std::string_view name, const std::string& path);

/// How open_trace treats events that break a rule of well_formed.h.
enum class Rules : std::uint8_t { Strict, Lenient };

/// Opens a trace and checks it while it streams: re-entrant acquires are filtered; the first event that
/// breaks a rule is an error with its line (Strict) or such events are dropped and counted in notes()
/// (Lenient).
Result<std::unique_ptr<TraceReader>> open_trace(const std::string& path, std::string_view format_name = {},
                                                Rules rules = Rules::Strict);

}  // namespace ravel

// The id of a finding: the same error keeps its id from run to run, checkout to checkout and trace format to
// trace format.
//
// A hash of the kind, the canonical object (global or Class::field, else the allocating function) and the
// unordered set of (innermost function's linkage name, access kind, hash of the trimmed source line or,
// without source, the line's offset in its function). Never of analysis, verdict, thread, address or line
// number. A place without a function and without source (a trace's own location number, a line of a trace)
// contributes its access kind alone. A retroactive access is the access it
// reports.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "event/event.h"
#include "event/place.h"
#include "report/finding.h"
#include "report/source_lines.h"

namespace ravel {

/// What one access contributes to the id.
struct FingerprintPart {
  std::string function;  ///< linkage name; empty: unknown
  EventKind access = EventKind::Read;
  std::string source_line;       ///< text of the line (trimmed here); empty: no source
  std::int64_t line_offset = 0;  ///< line minus the function's first line, used only without source
};

/// What an access at `place` contributes. `function_first_line` is the line its function begins at; 0:
/// unknown.
FingerprintPart fingerprint_part(const Place& place, EventKind access, SourceLines& lines,
                                 std::uint64_t function_first_line);

/// 16 hexadecimal digits.
std::string fingerprint(FindingKind kind, std::string_view object, std::span<const FingerprintPart> parts);

}  // namespace ravel

// The outcome of a controlled run, from the notes of its stream (event/stream.h).
#pragma once

#include <functional>
#include <string_view>

#include "trace/run_outcome.h"

namespace ravel::stream {

/// `place` finds the place of a code address. Lines that are not understood are skipped.
RunOutcome read_outcome(std::string_view notes, const std::function<PlaceId(std::uint32_t)>& place);

}  // namespace ravel::stream

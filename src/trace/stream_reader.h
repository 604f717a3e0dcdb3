// StreamReader: the stream of a recorded program (event/stream.h) as a trace, while the program runs or
// later.
//
// The merge orders threads by the stamps of their synchronization. A record without a stamp comes right
// before its thread's next stamped one or, if there is none, at the thread's end: when it has ended right
// after its last stamped one, else at the end of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "event/result.h"
#include "trace/reader.h"

namespace ravel::stream {

/// A recording whose program is gone. What a killed program left is read up to the last whole record of each
/// thread; notes() say what is missing.
Result<std::unique_ptr<TraceReader>> open_reader(const std::string& path);

struct LiveOptions {
  /// Whether the program may still write. Asked when there is nothing to read; false ends the trace.
  std::function<bool()> is_alive;
  /// Chunks the program may fill before it waits for this reader; 0: it never waits.
  std::uint32_t chunk_limit = 0;
};

/// The recording of a running program. next() waits until there is something to read, or the program has
/// ended. What was read is gone from the file, so it cannot be rewound.
///
/// A thread that runs long without synchronization would fill all chunks, since its records belong before a
/// stamp that has not come. When the program has to wait for chunks, what such threads have is given out
/// early, which is as good an order as the other.
Result<std::unique_ptr<TraceReader>> attach(const std::string& path, LiveOptions options);

}  // namespace ravel::stream

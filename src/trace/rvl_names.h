// The payloads of header and names blocks: how the trace was made, and what its numbers are called.
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <string>

#include "trace/bytes.h"
#include "trace/header.h"
#include "trace/tables.h"

namespace ravel::rvl {

/// The header as JSON. Strings that are not UTF-8 (a command line may be anything) become {"hex": "..."}.
std::string encode_header(const TraceHeader& header);
std::expected<TraceHeader, std::string> decode_header(std::string_view json);

/// How many entries of each table have been written, or read, so far.
struct NamesSeen {
  std::array<std::size_t, 10> counts{};

  friend bool operator==(const NamesSeen&, const NamesSeen&) = default;
};

/// Replaces `payload` by entries of `tables` beyond `seen`, at most about a megabyte of them, and counts them
/// as seen. False: there were none.
bool encode_names(const Tables& tables, NamesSeen& seen, Bytes& payload);

/// Adds the entries of a names block to `tables`, except those that an earlier pass over the trace has put
/// there. `seen` counts the entries of this pass. An error is a sentence for the user.
std::expected<void, std::string> decode_names(ByteSpan payload, NamesSeen& seen, Tables& tables);

}  // namespace ravel::rvl

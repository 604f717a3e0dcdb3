#include "report/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "trace/format.h"

namespace ravel {
namespace {

/// Bytes that can be taken apart again in one way only, so that different inputs never look the same to the
/// hash.
class Canonical {
 public:
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(number >> shift & 0xff);
  }
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// How an access was recorded does not matter.
EventKind canonical(EventKind access) {
  if (access == EventKind::RetroRead) return EventKind::Read;
  if (access == EventKind::RetroWrite) return EventKind::Write;
  return access;
}

std::string canonical(const FingerprintPart& part) {
  Canonical bytes;
  bytes.add(part.function);
  bytes.add(mnemonic(canonical(part.access)));  // a text, because numbers of kinds change when one is added
  const std::string source = fold_white_space(part.source_line);
  if (!source.empty()) {
    bytes.add("source");
    bytes.add(source);
  } else if (!part.function.empty()) {
    bytes.add("offset");
    bytes.add(static_cast<std::uint64_t>(part.line_offset));
  }
  return bytes.bytes();
}

}  // namespace

FingerprintPart fingerprint_part(const Place& place, EventKind access, SourceLines& lines,
                                 std::uint64_t function_first_line) {
  FingerprintPart part{.function = place.function, .access = access, .source_line = {}, .line_offset = 0};
  // A line of a trace is a location of the trace's own: it names a thread and is lost in other formats.
  if (!find_format({}, place.file)) part.source_line = lines.line(place.file, place.line);
  if (function_first_line != 0)
    part.line_offset = static_cast<std::int64_t>(place.line - function_first_line);
  return part;
}

std::string fingerprint(FindingKind kind, std::string_view object, std::span<const FingerprintPart> parts) {
  std::vector<std::string> set;
  set.reserve(parts.size());
  for (const FingerprintPart& part : parts) set.push_back(canonical(part));
  std::ranges::sort(set);
  set.erase(std::ranges::unique(set).begin(), set.end());

  Canonical bytes;
  bytes.add(to_string(kind));
  bytes.add(object);
  for (const std::string& part : set) bytes.add(part);
  return fmt::format("{:016x}", XXH3_64bits(bytes.bytes().data(), bytes.bytes().size()));
}

}  // namespace ravel

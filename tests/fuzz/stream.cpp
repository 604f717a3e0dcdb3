// Any content of a stream file. Files are mostly zeros, so the input is a list of patches: the offset (4
// bytes), a length (1 byte) and so many bytes each. What is read must be consistent, the same a second time,
// and come back from a `.rvl` copy.
#include "event/stream.h"

#include <fcntl.h>
#include <unistd.h>

#include "text_file.h"
#include "trace/bytes.h"
#include "trace/rvl.h"
#include "trace/rvl_limits.h"
#include "trace/stream_reader.h"

namespace {

using namespace ravel;

constexpr std::size_t kChunks = 6;
constexpr std::size_t kFileBytes = stream::kChunksAt + kChunks * stream::kChunkBytes;
/// A record can stand for many events (a huge block of memory).
constexpr std::size_t kEnoughEvents = 100'000;

void write_file(const std::string& path, ByteSpan input) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK(descriptor >= 0 && ::ftruncate(descriptor, kFileBytes) == 0, path);
  const auto put = [&](ByteSpan bytes, std::size_t at) {
    CHECK(::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
          static_cast<ssize_t>(bytes.size()));
  };
  unsigned char head[12];
  store_little(head, stream::kMagic);
  store_little(head + 8, stream::kVersion);
  put(head, 0);
  while (input.size() > 5) {
    const std::size_t at = load_little<std::uint32_t>(input.data()) % kFileBytes;
    const std::size_t size = std::min<std::size_t>({input[4], input.size() - 5, kFileBytes - at});
    put(input.subspan(5, size), at);
    input = input.subspan(5 + size);
  }
  ::close(descriptor);
}

/// The events; nothing if there are too many of them or the file is damaged.
std::vector<Event> read(TraceReader& reader) {
  std::vector<Event> batch, events;
  do {
    if (!reader.next(batch)) return {};
    for (const Event& event : batch) CHECK(rvl::unknown_name(event, reader.tables()).empty());
    events.insert(events.end(), batch.begin(), batch.end());
    if (events.size() > kEnoughEvents) return {};
  } while (!batch.empty());
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string path = test::fuzz_file("t.rvl", data, 0);
  write_file(path, {data, size});
  auto reader = stream::open_reader(path);
  if (!reader) return 0;
  const std::vector<Event> events = read(**reader);
  (*reader)->notes();
  for (std::size_t i = 0; i < events.size(); ++i) CHECK(events[i].position == i + 1);
  CHECK((*reader)->rewind().has_value() && read(**reader) == events);
  if (events.empty()) return 0;

  const std::string copy = path + ".copy.rvl";
  auto writer = rvl::create_writer(copy, (*reader)->header(), 100);
  CHECK(writer.has_value() && (*writer)->write(events, (*reader)->tables()) &&
        (*writer)->finish((*reader)->tables()));
  auto again = rvl::open_reader(copy);
  CHECK(again.has_value() && test::drain(**again) == events);
  CHECK((*again)->tables() == (*reader)->tables() && (*again)->header() == (*reader)->header());
  return 0;
}

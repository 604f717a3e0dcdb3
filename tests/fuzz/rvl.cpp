// Any bytes as a `.rvl` file. Checksums would stop nearly every mutation at the door, so they are made right
// first: what is tested is the code behind them. What is read must be consistent, and come back from a copy.
#include "trace/rvl.h"

#include <xxhash.h>

#include "text_file.h"
#include "trace/rvl_block.h"
#include "trace/rvl_limits.h"

namespace {

using namespace ravel;

void repair_checksums(Bytes& file) {
  for (std::size_t at = rvl::kFileHeadBytes; at + rvl::kBlockHeadBytes <= file.size();) {
    constexpr std::size_t kStoredSizeAt = 20, kChecksumAt = 32, kHeadChecksumAt = 40;
    unsigned char* const head = &file[at];
    const auto stored = load_little<std::uint32_t>(head + kStoredSizeAt);
    at += rvl::kBlockHeadBytes;
    if (stored <= file.size() - at) {
      store_little(head + kChecksumAt, std::uint64_t{XXH3_64bits(head + rvl::kBlockHeadBytes, stored)});
    }
    store_little(head + kHeadChecksumAt, std::uint64_t{XXH3_64bits(head, kHeadChecksumAt)});
    if (stored > file.size() - at) return;
    at += stored;
  }
}

void read_and_copy(const std::string& path) {
  auto reader = rvl::open_reader(path);
  if (!reader) return;
  std::vector<Event> batch, events;
  do {
    if (!(*reader)->next(batch)) return;
    for (const Event& event : batch) CHECK(rvl::unknown_name(event, (*reader)->tables()).empty());
    events.insert(events.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  for (std::size_t i = 0; i < events.size(); ++i) CHECK(events[i].position == i + 1);
  CHECK((*reader)->rewind().has_value() && test::drain(**reader) == events);

  const std::string copy = path + ".copy.rvl";
  auto writer = rvl::create_writer(copy, (*reader)->header(), 100);
  CHECK(writer.has_value() && (*writer)->write(events, (*reader)->tables()) &&
        (*writer)->finish((*reader)->tables()));
  auto again = rvl::open_reader(copy);
  CHECK(again.has_value() && test::drain(**again) == events);
  CHECK((*again)->tables() == (*reader)->tables() && (*again)->header() == (*reader)->header());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  Bytes file(data, data + size);
  read_and_copy(test::fuzz_file("t.rvl", file.data(), file.size()));
  repair_checksums(file);
  read_and_copy(test::fuzz_file("t.rvl", file.data(), file.size()));
  return 0;
}

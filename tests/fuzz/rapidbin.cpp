// Any bytes as a RapidBin file: events with positions 1, 2, 3, ... and names for all they refer to, or one
// error.
#include "trace/rapidbin.h"

#include "text_file.h"
#include "trace/rvl_limits.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace ravel;
  auto reader = open_rapidbin(test::fuzz_file("t.data", data, size));
  if (!reader) return 0;
  std::vector<Event> batch, events;
  do {
    if (!(*reader)->next(batch)) return 0;
    for (const Event& event : batch) CHECK(rvl::unknown_name(event, (*reader)->tables()).empty());
    events.insert(events.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  for (std::size_t i = 0; i < events.size(); ++i) CHECK(events[i].position == i + 1);
  CHECK((*reader)->rewind().has_value() && test::drain(**reader) == events);
  return 0;
}

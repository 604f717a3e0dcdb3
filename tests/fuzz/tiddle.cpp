// Any bytes as a Tiddle file: the reader gives events or one error, and what it gave the writer can write.
#include "trace/tiddle.h"

#include <cstdlib>

#include "event/check.h"
#include "text_file.h"
#include "trace/format.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace ravel;
  const std::string path = test::fuzz_file("t.tid", data, size);
  auto reader = open_tiddle(path);
  if (!reader) {
    CHECK(reader.error().line > 0 && reader.error().message.size() < 200, reader.error().text());
    return 0;
  }
  std::vector<Event> batch, events;
  do {
    CHECK((*reader)->next(batch).has_value(), "what open_tiddle surveyed can be read");
    events.insert(events.end(), batch.begin(), batch.end());
  } while (!batch.empty());

  const std::string copy = path + ".copy.tid";
  auto writer = create_tiddle(copy, (*reader)->header());
  CHECK(writer.has_value());
  // Locations may have characters that the reader takes but no place can show again; everything else must go
  // through.
  if (!(*writer)->write(events, (*reader)->tables()) || !(*writer)->finish((*reader)->tables())) return 0;
  auto again = open_tiddle(copy);
  CHECK(again.has_value(), again ? "" : again.error().text());
  std::size_t count = 0;
  do {
    CHECK((*again)->next(batch).has_value());
    for (const Event& event : batch) {
      CHECK(count < events.size());
      const Event& expected = events[count++];
      CHECK(event.kind == expected.kind && event.thread == expected.thread && event.value == expected.value &&
            event.order == expected.order && event.width == expected.width &&
            event.position == expected.position);
    }
  } while (!batch.empty());
  CHECK(count == events.size());

  auto checked = open_trace(path, "tiddle", Rules::Lenient);
  CHECK(checked.has_value());
  CHECK(test::drain(**checked).size() <= events.size());
  return 0;
}

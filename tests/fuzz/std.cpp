// Any bytes as an STD file: the reader gives one event a line or one error, and what it gave reads back from
// a copy.
#include "text_file.h"
#include "trace/format.h"
#include "trace/std_format.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace ravel;
  const std::string path = test::fuzz_file("t.std", data, size);
  auto reader = open_std(path);
  CHECK(reader.has_value());
  std::vector<Event> batch, events;
  do {
    if (auto read = (*reader)->next(batch); !read) {
      CHECK(read.error().line > events.size() && read.error().message.size() < 300, read.error().text());
      return 0;
    }
    events.insert(events.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  for (std::size_t i = 0; i < events.size(); ++i) CHECK(events[i].position == i + 1);

  const std::string copy = path + ".copy.std";
  auto writer = create_std(copy, {});
  CHECK(writer.has_value() && (*writer)->write(events, (*reader)->tables()) &&
        (*writer)->finish((*reader)->tables()));
  auto again = open_std(copy);
  CHECK(again.has_value() && test::drain(**again) == events);
  CHECK((*again)->tables() == (*reader)->tables());

  auto checked = open_trace(path, "std", Rules::Lenient);
  CHECK(checked.has_value() && test::drain(**checked).size() <= events.size());
  return 0;
}

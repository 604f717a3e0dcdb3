// A source whose events come only once can be read again.
#include "trace/spool_reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "trace/memory_reader.h"

namespace ravel {
namespace {

/// As a running program.
class Once final : public TraceReader {
 public:
  explicit Once(MemoryReader source) : TraceReader("run"), source_(std::move(source)) {
    outcome_.kind = "deadlock";
  }
  Result<void> next(std::vector<Event>& batch) override { return source_.next(batch); }
  Result<void> rewind() override { return fail("only once"); }
  const TraceHeader& header() const override { return source_.header(); }
  const Tables& tables() const override { return source_.tables(); }

 private:
  MemoryReader source_;
};

std::vector<Event> all_of(TraceReader& reader) {
  std::vector<Event> all, batch;
  do {
    const auto read = reader.next(batch);
    EXPECT_TRUE(read) << read.error().text();
    all.insert(all.end(), batch.begin(), batch.end());
  } while (!batch.empty());
  return all;
}

Event event(EventKind kind, unsigned thread, std::uint64_t target, std::uint64_t position) {
  Event event;
  event.kind = kind;
  event.thread = ThreadId(thread);
  event.target = target;
  event.width = is_access(kind) ? 4 : 0;
  event.position = position;
  event.place = PlaceId(0U);
  event.ordinal = 3;
  return event;
}

TEST(SpoolReader, GivesTheSameEventsAgain) {
  Tables tables;
  tables.threads = {"main", "worker"};
  tables.places.resize(1);
  std::vector<Event> events;
  for (std::uint64_t i = 1; i <= 20'000; ++i)
    events.push_back(event(i % 3 == 0 ? EventKind::Read : EventKind::Write, i % 2, 0x1000 + 8 * (i % 50), i));
  const std::filesystem::path directory = std::filesystem::temp_directory_path() / "spool-reader-test";
  std::filesystem::create_directories(directory);
  {
    auto reader = SpoolReader::open(std::make_unique<Once>(MemoryReader(TraceHeader{}, tables, events, 1000)),
                                    directory.string());
    ASSERT_TRUE(reader) << reader.error().text();
    EXPECT_EQ(all_of(**reader), events);
    for (int pass = 0; pass < 2; ++pass) {
      const auto rewound = (*reader)->rewind();
      ASSERT_TRUE(rewound) << rewound.error().text();
      EXPECT_EQ(all_of(**reader), events);
    }
    EXPECT_FALSE(std::filesystem::is_empty(directory));
    EXPECT_EQ((*reader)->outcome().kind, "deadlock");
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory)) << "the file outlives its reader";
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace ravel

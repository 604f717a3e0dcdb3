// `.rvl`: everything comes back, and nothing that is damaged passes for a trace.
#include "trace/rvl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>

#include "trace/rvl_block.h"
#include "unit/trace/files.h"
#include "unit/trace/random_events.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::any_events;
using test::MemoryFile;
using test::Outcome;
using test::read_all;
using test::read_rest;
using test::read_text;
using test::small_tables;
using test::TemporaryDirectory;
using testing::HasSubstr;
using testing::IsEmpty;

TraceHeader some_header() {
  TraceHeader header;
  header.filter = FilterLevel::Segment;
  header.access_order = AccessOrder::Hook;
  header.values = ValueLevel::Sampled;
  header.command = {"./program", "--name=\"quoted\"", "not UTF-8: \xff\xfe", ""};
  header.directory = "/home/someone";
  header.environment = {"A=b", "C="};
  header.build_ids = {"program 0011"};
  header.input_hash = "abc";
  header.instrumented = true;
  return header;
}

/// Events of a small program, with two threads, a lock and two variables.
std::vector<Event> some_events(std::size_t count) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < count; ++i) {
    constexpr EventKind kKinds[] = {EventKind::Acquire, EventKind::Read, EventKind::Write,
                                    EventKind::Release};
    Event event;
    event.kind = kKinds[i % 4];
    event.thread = ThreadId(i / 4 % 2);
    event.position = i + 1;
    event.place = PlaceId(i % 3);
    if (event.kind == EventKind::Read || event.kind == EventKind::Write) {
      event.target = synthetic_address(TargetSpace::Variable, static_cast<std::uint32_t>(i / 8 % 2));
      event.width = kSyntheticWidth;
    } else {
      event.target = synthetic_address(TargetSpace::Lock, 0);
    }
    events.push_back(event);
  }
  return events;
}

void write_trace(const std::string& path, const TraceHeader& header, const Tables& tables,
                 std::span<const Event> events, std::size_t block_events = rvl::kBlockEvents) {
  auto writer = rvl::create_writer(path, header, block_events);
  ASSERT_TRUE(writer) << writer.error().text();
  ASSERT_TRUE((*writer)->write(events, tables));
  ASSERT_TRUE((*writer)->finish(tables));
}

class RvlFile : public testing::Test {
 protected:
  /// A trace of three blocks of events, as bytes.
  std::string small_file() {
    write_trace(path_, some_header(), small_tables(), some_events(12), 4);
    return read_text(path_);
  }
  static Outcome read(std::string_view bytes) {
    const MemoryFile file(bytes);
    return read_all(rvl::open_reader(file.path()));
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("trace.rvl");
};

TEST(RvlRoundTrip, EveryFieldOfEveryEventComesBack) {
  TemporaryDirectory directory;
  const std::string path = directory.file("trace.rvl");
  const bool good = rc::check("what is written is read", [&] {
    const Tables tables = small_tables();
    const std::vector<Event> events = any_events(tables, 60);
    write_trace(path, some_header(), tables, events, *rc::gen::inRange<std::size_t>(1, 40));
    const Outcome outcome = read_all(rvl::open_reader(path));
    RC_ASSERT(outcome.error == "");
    RC_ASSERT(outcome.events == events);
    RC_ASSERT(outcome.tables == tables);
    RC_ASSERT(outcome.header == some_header());
    RC_ASSERT(outcome.notes.empty());
  });
  EXPECT_TRUE(good);
}

// More than 256 threads in one block take a wider column.
TEST(RvlRoundTrip, ManyThreadsComeBack) {
  TemporaryDirectory directory;
  Tables tables;
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    tables.threads.push_back("T" + std::to_string(i));
    Event event;
    event.thread = ThreadId(999 - i);
    event.target = i;
    event.position = i + 1;
    events.push_back(event);
  }
  write_trace(directory.file("t.rvl"), {}, tables, events);
  EXPECT_EQ(read_all(rvl::open_reader(directory.file("t.rvl"))).events, events);
}

TEST_F(RvlFile, TakesTheHeaderAndNamesOfATraceWithoutEvents) {
  write_trace(path_, some_header(), small_tables(), {});
  const Outcome outcome = read_all(rvl::open_reader(path_));
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.header, some_header());
  EXPECT_EQ(outcome.tables, small_tables());
  EXPECT_THAT(outcome.notes, IsEmpty());
}

// A name comes before the first event that needs it, not at the end.
TEST_F(RvlFile, NamesMayGrowBetweenBlocks) {
  Tables tables;
  auto writer = rvl::create_writer(path_, {}, 1);
  ASSERT_TRUE(writer);
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < 20; ++i) {
    tables.threads.push_back("T" + std::to_string(i));
    tables.variables.push_back("v" + std::to_string(i));
    tables.places.push_back({.file = "a.cpp", .line = i, .function = ""});
    Event event;
    event.thread = ThreadId(i);
    event.target = synthetic_address(TargetSpace::Variable, i);
    event.place = PlaceId(i);
    event.position = i + 1;
    events.push_back(event);
    ASSERT_TRUE((*writer)->write(std::span(&event, 1), tables));
  }
  ASSERT_TRUE((*writer)->finish(tables));

  auto reader = rvl::open_reader(path_);
  ASSERT_TRUE(reader);
  std::vector<Event> batch;
  for (std::size_t i = 0; i < events.size(); ++i) {
    ASSERT_TRUE((*reader)->next(batch));
    ASSERT_EQ(batch.size(), 1U);
    EXPECT_EQ(batch[0], events[i]);
    EXPECT_EQ((*reader)->tables().threads.size(), i + 1);
  }
}

TEST_F(RvlFile, RewindsFromAnywhereAndKeepsTheTables) {
  write_trace(path_, some_header(), small_tables(), some_events(12), 4);
  for (int batches = 0; batches <= 4; ++batches) {
    auto reader = rvl::open_reader(path_);
    ASSERT_TRUE(reader);
    std::vector<Event> batch;
    for (int i = 0; i < batches; ++i) ASSERT_TRUE((*reader)->next(batch));
    ASSERT_TRUE((*reader)->rewind());
    const Outcome outcome = read_rest(**reader);
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.events, some_events(12));
    EXPECT_EQ(outcome.tables, small_tables());
  }
}

TEST_F(RvlFile, CutAnywhereIsAPrefixWithANoteOrAnError) {
  const std::string whole = small_file();
  const std::vector<Event> all = some_events(12);
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Outcome outcome = read(std::string_view(whole).substr(0, size));
    ASSERT_LE(outcome.events.size(), all.size());
    EXPECT_TRUE(std::equal(outcome.events.begin(), outcome.events.end(), all.begin())) << size;
    EXPECT_GE(outcome.events.size(), most) << "a longer file must not have fewer events";
    most = outcome.events.size();
    if (outcome.ok()) {
      ASSERT_EQ(outcome.notes.size(), 1U) << size;
      EXPECT_THAT(outcome.notes[0], HasSubstr(std::to_string(outcome.events.size()) + " events were read"));
    } else {
      EXPECT_THAT(outcome.events, IsEmpty())
          << "only a cut in the header is an error, but: " << outcome.error;
    }
  }
  EXPECT_EQ(most, all.size());  // without its end block
  EXPECT_THAT(read(whole).notes, IsEmpty());
}

TEST_F(RvlFile, EveryFlippedBitIsNoticed) {
  const std::string whole = small_file();
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(read(damaged).ok()) << "bit " << bit;
  }
}

TEST_F(RvlFile, ErrorsNameTheFileAndTheBlock) {
  std::string damaged = small_file();
  damaged[damaged.size() - rvl::kBlockHeadBytes - 1] ^= 1;  // the last byte of the last events block
  EXPECT_THAT(read(damaged).error, testing::ContainsRegex("/[0-9]+: block 5 at byte [0-9]+: .*damaged"));
}

TEST_F(RvlFile, RefusesWhatIsNoTrace) {
  EXPECT_THAT(read("").error, HasSubstr("the file is empty"));
  EXPECT_THAT(read("\x89RVL").error, HasSubstr("too short"));
  EXPECT_THAT(read("a text file with some lines\n").error, HasSubstr("not a .rvl trace"));
  EXPECT_THAT(read_all(rvl::open_reader(directory_.file("missing.rvl"))).error, HasSubstr("no such file"));
  EXPECT_THAT(read_all(rvl::open_reader(directory_.file(""))).error, HasSubstr("directory"));
}

TEST_F(RvlFile, RefusesANewerVersion) {
  std::string newer = small_file();
  ++newer[rvl::kFileMagic.size()];
  EXPECT_THAT(read(newer).error, HasSubstr("format version 2 is newer than this ravel"));
}

TEST_F(RvlFile, RefusesMoreAfterTheEnd) {
  EXPECT_THAT(read(small_file() + "x").error, HasSubstr("more after the end"));
}

TEST_F(RvlFile, NothingAppearsBeforeFinish) {
  {
    auto writer = rvl::create_writer(path_, {});
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->write(some_events(4), small_tables()));
    EXPECT_FALSE(std::filesystem::exists(path_));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.file(""))) << "a writer without finish() must clean up";
}

TEST_F(RvlFile, RefusesToWriteWhereItCannot) {
  EXPECT_FALSE(rvl::create_writer(directory_.file(""), {}));
  EXPECT_FALSE(rvl::create_writer(directory_.file("no/such/folder.rvl"), {}));
}

TEST_F(RvlFile, RepeatedEventsTakeLittleRoom) {
  constexpr std::size_t kCount = 100'000;
  write_trace(path_, {}, small_tables(), some_events(kCount));
  EXPECT_LT(std::filesystem::file_size(path_), kCount / 10);
}

// The seeds of tests/fuzz/rvl.cpp. RAVEL_UPDATE_CORPUS=1 makes them anew; this test keeps them readable.
TEST_F(RvlFile, SeedsOfTheFuzzerAreReadable) {
  const std::filesystem::path corpus = std::filesystem::path(RAVEL_SOURCE_DIR) / "tests/fuzz/corpus/rvl";
  if (std::getenv("RAVEL_UPDATE_CORPUS") != nullptr) {
    std::filesystem::create_directories(corpus);
    write_trace(corpus / "small.rvl", some_header(), small_tables(), some_events(12), 4);
    write_trace(corpus / "compressed.rvl", {}, small_tables(), some_events(400), 200);
    write_trace(corpus / "empty.rvl", {}, {}, {});
    std::vector<Event> kinds;
    for (int i = 0; i < kEventKindCount; ++i) {
      Event event;
      event.kind = static_cast<EventKind>(i);
      event.order = static_cast<MemoryOrder>(i % 7);
      event.has_value = i % 2 == 0;
      event.value = static_cast<std::uint64_t>(i) << i;
      event.thread = ThreadId(static_cast<std::uint32_t>(i % 3));
      event.target =
          target_space(event.kind) == TargetSpace::Thread || target_space(event.kind) == TargetSpace::Unit
              ? 1
              : std::uint64_t{4096} << i;
      if (event.kind == EventKind::ObjectBegin) event.value = 1;
      event.position = kinds.size() + 1;
      event.width = 1U << i % 32;
      kinds.push_back(event);
    }
    write_trace(corpus / "kinds.rvl", {}, small_tables(), kinds);
  }
  int seeds = 0;
  for (const auto& seed : std::filesystem::directory_iterator(corpus)) {
    EXPECT_EQ(read_all(rvl::open_reader(seed.path())).error, "");
    ++seeds;
  }
  EXPECT_GE(seeds, 4);
}

}  // namespace
}  // namespace ravel

// RapidBin: what each record means, and what is refused.
#include "trace/rapidbin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "trace/bytes.h"
#include "trace/format.h"
#include "unit/trace/files.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::Outcome;
using test::read_all;
using test::read_rest;
using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;

enum Operation : std::uint64_t { kAcq, kRel, kRead, kWrite, kFork, kJoin, kBegin, kEnd, kReq, kBranch };

/// A file in memory, big-endian as the format is.
class RapidBinBytes {
 public:
  RapidBinBytes(std::uint16_t threads, std::uint64_t events) {
    put(threads);
    put(std::uint32_t{100});
    put(std::uint32_t{100});
    put(events);
  }
  RapidBinBytes& add(std::uint64_t thread, std::uint64_t operation, std::uint64_t target,
                     std::uint64_t location) {
    put(thread | operation << 10 | target << 14 | location << 48);
    return *this;
  }
  std::string_view text() const { return bytes_; }

 private:
  template <typename T>
  void put(T value) {
    unsigned char raw[sizeof(T)];
    store_big(raw, value);
    bytes_.append(reinterpret_cast<const char*>(raw), sizeof(T));
  }
  std::string bytes_;
};

RapidBinBytes every_operation() {
  RapidBinBytes bytes(8, 100);
  bytes.add(3, kBegin, 0, 1).add(3, kFork, 7, 2).add(7, kBegin, 0, 3).add(3, kReq, 5, 4).add(3, kAcq, 5, 4);
  bytes.add(3, kWrite, 0x3'ffff'ffff, 0x7fff).add(3, kBranch, 0, 9).add(3, kRel, 5, 5).add(7, kRead, 7, 6);
  bytes.add(7, kEnd, 0, 7).add(3, kJoin, 7, 8).add(3, kEnd, 0, 1);
  return bytes;
}

class RapidBin : public testing::Test {
 protected:
  Outcome read(std::string_view bytes) {
    return read_all(open_rapidbin(directory_.file("trace.data", bytes)));
  }
  TemporaryDirectory directory_;
};

TEST_F(RapidBin, ReadsEveryOperation) {
  const Outcome outcome = read(every_operation().text());
  ASSERT_EQ(outcome.error, "");
  std::vector<EventKind> kinds;
  std::vector<std::uint32_t> threads;
  for (const Event& event : outcome.events) {
    EXPECT_EQ(event.position, kinds.size() + 1) << "positions count the events that are kept";
    kinds.push_back(event.kind);
    threads.push_back(event.thread.value);
  }
  EXPECT_THAT(kinds,
              ElementsAre(EventKind::ThreadStart, EventKind::Fork, EventKind::ThreadStart, EventKind::Request,
                          EventKind::Acquire, EventKind::Write, EventKind::Release, EventKind::Read,
                          EventKind::ThreadExit, EventKind::Join, EventKind::ThreadExit));
  EXPECT_THAT(threads, ElementsAre(0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0));
  EXPECT_THAT(outcome.tables.threads, ElementsAre("T3", "T7"));
  EXPECT_THAT(outcome.tables.locks, ElementsAre("L5"));
  EXPECT_THAT(outcome.tables.variables, ElementsAre("V17179869183", "V7"));
  EXPECT_EQ(outcome.events[1].other_thread(), ThreadId(1U));
  EXPECT_EQ(outcome.events[5].target, synthetic_address(TargetSpace::Variable, 0));
  EXPECT_EQ(outcome.events[5].width, kSyntheticWidth);
  EXPECT_EQ(outcome.tables.places[outcome.events[5].place.index()],
            (Place{.file = "", .line = 0x7fff, .function = ""}));
  EXPECT_EQ(outcome.events.front().place, outcome.events.back().place);
}

TEST_F(RapidBin, RewindsWithTheSameIds) {
  auto reader = open_rapidbin(directory_.file("trace.data", every_operation().text()));
  ASSERT_TRUE(reader);
  const Outcome first = read_rest(**reader);
  ASSERT_TRUE((*reader)->rewind());
  const Outcome second = read_rest(**reader);
  EXPECT_EQ(first.events, second.events);
  EXPECT_EQ(first.tables, second.tables);
}

// Branches alone fill whole batches; that is not the end of the trace.
TEST_F(RapidBin, SkipsLongRunsOfBranches) {
  RapidBinBytes bytes(1, 3 * kBatchEvents);
  for (std::size_t i = 0; i < 2 * kBatchEvents; ++i) bytes.add(0, kBranch, 0, 0);
  bytes.add(0, kRead, 1, 1);
  const Outcome outcome = read(bytes.text());
  ASSERT_EQ(outcome.events.size(), 1U);
  EXPECT_EQ(outcome.events[0].position, 1U);
}

TEST_F(RapidBin, RefusesWhatTheHeaderRulesOut) {
  EXPECT_THAT(read(RapidBinBytes(2, 9).add(0, kRead, 1, 1).add(2, kRead, 1, 1).text()).error,
              HasSubstr("event 2: thread 2 is beyond the 2 threads"));
  EXPECT_THAT(read(RapidBinBytes(2, 9).add(0, kFork, 2, 1).text()).error,
              HasSubstr("event 1: thread 2 is beyond"));
  EXPECT_THAT(read(RapidBinBytes(2, 1).add(0, kRead, 1, 1).add(0, kRead, 1, 1).text()).error,
              HasSubstr("event 2: the header promises at most 1 events"));
}

TEST_F(RapidBin, RefusesUnknownOperations) {
  EXPECT_THAT(read(RapidBinBytes(2, 9).add(0, kRead, 1, 1).add(0, 10, 1, 1).text()).error,
              HasSubstr("trace.data: event 2: unknown operation 10"));
}

TEST_F(RapidBin, CutAnywhereIsAnErrorOrAPrefix) {
  const std::string whole(every_operation().text());
  constexpr std::size_t kHeader = 18;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Outcome outcome = read(whole.substr(0, size));
    const bool between_records = size >= kHeader && (size - kHeader) % 8 == 0;
    EXPECT_EQ(outcome.ok(), between_records) << size << ": " << outcome.error;
  }
  EXPECT_THAT(read("").error, HasSubstr("empty"));
  EXPECT_THAT(read(whole.substr(0, 17)).error, HasSubstr("too short"));
  EXPECT_THAT(read(whole.substr(0, 30)).error, HasSubstr("event 2: the trace ends in the middle of it"));
}

TEST_F(RapidBin, RefusesNegativeCounts) {
  EXPECT_THAT(read(RapidBinBytes(0x8000, 9).text()).error, HasSubstr("negative count"));
}

TEST_F(RapidBin, NamesTheUsualMistakes) {
  EXPECT_THAT(read_all(open_rapidbin(directory_.file("missing.data"))).error, HasSubstr("no such file"));
  EXPECT_THAT(read_all(open_rapidbin(directory_.file(""))).error, HasSubstr("directory"));
}

// The seeds of tests/fuzz/rapidbin.cpp. RAVEL_UPDATE_CORPUS=1 makes them anew; this test keeps them readable.
TEST_F(RapidBin, SeedsOfTheFuzzerAreReadable) {
  const std::filesystem::path corpus = std::filesystem::path(RAVEL_SOURCE_DIR) / "tests/fuzz/corpus/rapidbin";
  if (std::getenv("RAVEL_UPDATE_CORPUS") != nullptr) {
    std::filesystem::create_directories(corpus);
    std::ofstream(corpus / "operations.data", std::ios::binary) << every_operation().text();
    std::ofstream(corpus / "empty.data", std::ios::binary) << RapidBinBytes(0, 0).text();
  }
  int seeds = 0;
  for (const auto& seed : std::filesystem::directory_iterator(corpus)) {
    EXPECT_EQ(read_all(open_rapidbin(seed.path())).error, "");
    ++seeds;
  }
  EXPECT_GE(seeds, 2);
}

TEST(Formats, AreFoundByNameOrExtension) {
  EXPECT_EQ((*find_format("", "some/trace.rvl"))->name, "rvl");
  EXPECT_EQ((*find_format("", "some/trace.data"))->name, "rapidbin");
  EXPECT_EQ((*find_format("rapidbin", "trace.rvl"))->name, "rapidbin")
      << "the name goes before the extension";
  EXPECT_TRUE(std::ranges::is_sorted(trace_formats(), {}, &TraceFormat::name));
}

TEST(Formats, AnUnknownOneIsAnErrorThatListsTheKnown) {
  const auto by_name = find_format("xml", "trace.rvl");
  ASSERT_FALSE(by_name);
  EXPECT_THAT(by_name.error().text(),
              testing::AllOf(HasSubstr("'xml'"), HasSubstr("rapidbin (.data)"), HasSubstr("rvl (.rvl)")));
  const auto by_path = find_format("", "trace.txt");
  ASSERT_FALSE(by_path);
  EXPECT_THAT(by_path.error().text(), testing::AllOf(HasSubstr("trace.txt: "), HasSubstr("rvl (.rvl)")));
}

}  // namespace
}  // namespace ravel

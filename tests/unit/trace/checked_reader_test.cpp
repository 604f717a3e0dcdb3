#include "trace/checked_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/format.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::error_text;
using test::Recording;
using ::testing::ElementsAre;

class CheckedReading : public ::testing::Test {
 protected:
  Result<Recording> read(std::string_view text, Rules rules) {
    auto reader = open_trace(directory_.file("t.tid", text), {}, rules);
    if (!reader) return std::unexpected(reader.error());
    auto recording = test::drain(**reader);
    notes_ = (*reader)->notes();
    return recording;
  }
  std::vector<std::uint64_t> positions(std::string_view text) {
    std::vector<std::uint64_t> all;
    const Recording recording = read(text, Rules::Lenient).value();
    for (const Event& event : recording.events) all.push_back(event.position);
    return all;
  }

  test::TemporaryDirectory directory_;
  std::vector<std::string> notes_;
};

TEST_F(CheckedReading, StrictNamesThreadObjectEventAndLine) {
  const std::string path = directory_.file("t.tid");
  EXPECT_EQ(error_text(read("# head\nfork 0 2\nacq 0 l\nrel 2 l\n", Rules::Strict)),
            path + ":4: thread 2 releases a lock that it does not hold: l (event 3)");
  EXPECT_EQ(error_text(read("fork 0 1\nfork 0 1\n", Rules::Strict)),
            path + ":2: thread 0 forks a thread that has already begun: thread 1 (event 2)");
  EXPECT_EQ(error_text(read("beg 0 a\nend 0 b\n", Rules::Strict)),
            path + ":2: thread 0 ends a unit of work that is not its innermost open one: b (event 2)");
  EXPECT_EQ(error_text(read("exit 0\nrd 0 0x10:4\n", Rules::Strict)),
            path + ":2: thread 0 acts after its end: 0x10 (event 2)");
  EXPECT_EQ(error_text(read("exit 0\nexit 0\n", Rules::Strict)),
            path + ":2: thread 0 acts after its end (event 2)");
}

TEST_F(CheckedReading, LenientDropsAndCounts) {
  EXPECT_THAT(positions("fork 0 1\nacq 0 l\nacq 1 l\nrel 1 l\nrel 0 l\nacq 1 l\nrel 1 l\n"),
              ElementsAre(1, 2, 5, 6, 7));
  EXPECT_THAT(notes_, ElementsAre("1 acquires of a lock that another thread holds were dropped",
                                  "1 releases by a thread that does not hold the lock were dropped"));
}

TEST_F(CheckedReading, FiltersReentrantAcquiresInBothModes) {
  const std::string text = "acq 0 l\nacq 0 m\nacq 0 l\nrel 0 l\nrel 0 l\nrel 0 m\n";
  EXPECT_THAT(positions(text), ElementsAre(1, 2, 5, 6));
  EXPECT_THAT(notes_, ElementsAre("1 re-entrant acquires were filtered", "1 releases out of nested order"));
  EXPECT_EQ(read(text, Rules::Strict).value().events.size(), 4u);
  EXPECT_THAT(notes_, ElementsAre("1 re-entrant acquires were filtered", "1 releases out of nested order"));
}

TEST_F(CheckedReading, BatchWithoutGoodEventsIsNotTheEnd) {
  std::string text = "acq 0 l\n";
  for (std::size_t i = 0; i < 3 * kBatchEvents; ++i) text += "rel 0 m\n";
  text += "rel 0 l\n";
  EXPECT_EQ(read(text, Rules::Lenient).value().events.size(), 2u);
}

TEST_F(CheckedReading, HandsOnHeaderTablesAndRewind) {
  auto reader = open_trace(directory_.file("t.tid", "acq 0 l\nacq 0 l\nwr 0 x 1\n")).value();
  const Recording first = test::drain(*reader).value();
  EXPECT_EQ(reader->header().values, ValueLevel::Exact);
  EXPECT_THAT(first.tables.variables, ElementsAre("x"));
  ASSERT_TRUE(reader->rewind());
  EXPECT_EQ(test::drain(*reader).value().events, first.events);
  EXPECT_THAT(reader->notes(), ElementsAre("1 re-entrant acquires were filtered"));
}

TEST_F(CheckedReading, PassesOnErrorsOfTheFormat) {
  EXPECT_FALSE(open_trace(directory_.file("missing.tid")));
  EXPECT_FALSE(open_trace(directory_.file("t.tid", "oops\n")));
  EXPECT_FALSE(open_trace(directory_.file("t.unknown", "")));
  EXPECT_TRUE(open_trace(directory_.file("t.unknown", "rd 0 x\n"), "tiddle"));
}

}  // namespace
}  // namespace ravel

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/std_format.h"
#include "trace/tiddle.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::error_text;
using test::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Std : public ::testing::Test {
 protected:
  Result<Recording> read(std::string_view text) {
    auto reader = open_std(directory_.file("t.std", text));
    if (!reader) return std::unexpected(reader.error());
    return test::drain(**reader);
  }
  std::string error(std::string_view text) {
    std::string message = error_text(read(text));
    const std::string directory = directory_.file("");
    if (message.starts_with(directory)) message.erase(0, directory.size());
    return message;
  }
  /// Writes a Tiddle trace as STD.
  Result<std::string> convert(std::string_view tiddle) {
    auto reader = open_tiddle(directory_.file("t.tid", tiddle)).value();
    const Recording recording = test::drain(*reader).value();
    const std::string path = directory_.file("out.std");
    auto writer = create_std(path, reader->header()).value();
    if (auto written = writer->write(recording.events, recording.tables); !written)
      return std::unexpected(written.error());
    if (auto finished = writer->finish(recording.tables); !finished) return std::unexpected(finished.error());
    losses_ = writer->losses();
    return test::read_text(path);
  }

  test::TemporaryDirectory directory_;
  std::vector<std::string> losses_;
};

TEST_F(Std, ReadsEveryOperation) {
  const Recording recording =
      read(
          "main|fork(T1)|1\nT1|begin(f)|2\nT1|req(l)|3\nT1|acq(l)|3\nT1|r(x)|4\r\n"
          "T1|w(x)|5\nT1|rel(l)|6\nT1|end(f)|7\nT1|begin|8\nT1|end()|8\nmain|join(T1)|9")
          .value();
  std::vector<EventKind> kinds;
  for (const Event& event : recording.events) kinds.push_back(event.kind);
  using enum EventKind;
  EXPECT_THAT(kinds, ElementsAre(Fork, UnitBegin, Request, Acquire, Read, Write, Release, UnitEnd, UnitBegin,
                                 UnitEnd, Join));
  EXPECT_THAT(recording.tables.threads, ElementsAre("main", "T1"));
  EXPECT_THAT(recording.tables.locks, ElementsAre("l"));
  EXPECT_THAT(recording.tables.variables, ElementsAre("x"));
  EXPECT_THAT(recording.tables.units, ElementsAre("f", ""));
  EXPECT_EQ(recording.events[0].other_thread(), ThreadId(1u));
  EXPECT_EQ(recording.events[4].target, synthetic_address(TargetSpace::Variable, 0));
  EXPECT_EQ(recording.events[4].width, kSyntheticWidth);
  EXPECT_EQ(recording.events[4].position, 5u);
  EXPECT_EQ(recording.tables.places[recording.events[4].place.index()], (Place{"", 4, ""}));
  // Two events of one location have one place.
  EXPECT_EQ(recording.events[2].place, recording.events[3].place);
}

TEST_F(Std, OperandsMayHaveBrackets) {
  const Recording recording = read("T|r(a.b[3](x))|1\nT|w(0x7f00)|2\nT|acq(T)|3\n").value();
  EXPECT_THAT(recording.tables.variables, ElementsAre("a.b[3](x)", "0x7f00"));
  EXPECT_THAT(recording.tables.locks, ElementsAre("T"));
  EXPECT_TRUE(is_synthetic(recording.events[1].target)) << "a name, not an address";
}

TEST_F(Std, SaysWhatIsWrong) {
  EXPECT_EQ(error("T|r(x)|1\n\nT|r(x)|1\n"), "t.std:2: the line is empty");
  EXPECT_EQ(error("T|r(x)\n"), "t.std:1: expected: thread|operation|location: 'T|r(x)'");
  EXPECT_EQ(error("T r(x) 1\n"), "t.std:1: expected: thread|operation|location: 'T r(x) 1'");
  EXPECT_EQ(error("T|r(x)|1|2\n"), "t.std:1: the location is not a 64-bit number: 'T|r(x)|1|2'");
  EXPECT_EQ(error("T|r(x)|\n"), "t.std:1: the location is not a 64-bit number: 'T|r(x)|'");
  EXPECT_EQ(error("T|r(x)|-1\n"), "t.std:1: the location is not a 64-bit number: 'T|r(x)|-1'");
  EXPECT_EQ(error("T|r(x)|99999999999999999999\n"),
            "t.std:1: the location is not a 64-bit number: 'T|r(x)|99999999999999999999'");
  EXPECT_EQ(error("T|read(x)|1\n"), "t.std:1: unknown operation: 'T|read(x)|1'");
  EXPECT_EQ(error("T||1\n"), "t.std:1: unknown operation: 'T||1'");
  EXPECT_EQ(error("T|r|1\n"), "t.std:1: the operation has no operand: 'T|r|1'");
  EXPECT_EQ(error("T|r()|1\n"), "t.std:1: the operand is not a name: 'T|r()|1'");
  EXPECT_EQ(error("T|r(x y)|1\n"), "t.std:1: the operand is not a name: 'T|r(x y)|1'");
  EXPECT_EQ(error("T|r(x|1\n"), "t.std:1: the operation does not end with ')': 'T|r(x|1'");
  EXPECT_EQ(error("T|begin(a b)|1\n"), "t.std:1: the label is not a name: 'T|begin(a b)|1'");
  EXPECT_EQ(error("|r(x)|1\n"), "t.std:1: the thread is not a name: '|r(x)|1'");
  EXPECT_EQ(error(std::string_view("T|r(x\0)|1\n", 10)),
            "t.std:1: the operand is not a name: 'T|r(x\\x00)|1'");
  EXPECT_EQ(error("T|r(x)|1\nT|r(" + std::string(10'000'000, 'x') + ")|1\n"),
            "t.std:2: the line is longer than 1048576 characters");
}

TEST_F(Std, BadNameStaysBadAfterRewind) {
  auto reader = open_std(directory_.file("t.std", "T|r(a b)|1\n")).value();
  std::vector<Event> batch;
  EXPECT_FALSE(reader->next(batch));
  ASSERT_TRUE(reader->rewind());
  EXPECT_FALSE(reader->next(batch));
}

TEST_F(Std, ReadsLinesAcrossBuffers) {
  std::string text;
  for (int i = 0; i < 200000; ++i)
    text += "T" + std::to_string(i % 7) + "|r(variable" + std::to_string(i % 1000) + ")|5\n";
  const Recording recording = read(text).value();
  ASSERT_EQ(recording.events.size(), 200000u);
  EXPECT_EQ(recording.tables.variables.size(), 1000u);
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    ASSERT_EQ(recording.events[i].position, i + 1);
    ASSERT_EQ(recording.events[i].thread.value, i % 7);
    ASSERT_EQ(synthetic_index(recording.events[i].target), i % 1000);
  }
}

TEST_F(Std, WritesWhatItReads) {
  EXPECT_EQ(
      convert("fork 0 1 @1\nacq 1 l @2\nwr 1 x @3\nrel 1 l @4\nbeg 1 @5\nend 1 @6\nbeg 1 f @7\nreq 1 l @?\n")
          .value(),
      "0|fork(1)|1\n1|acq(l)|2\n1|w(x)|3\n1|rel(l)|4\n1|begin|5\n1|end|6\n1|begin(f)|7\n1|req(l)|0\n");
  EXPECT_THAT(losses_, ElementsAre());
}

TEST_F(Std, CountsLosses) {
  EXPECT_EQ(convert("# access order: hook\nstart 0\nwr 0 x 1 @a.c:3\nrd 0 0x10:4 @4\nexit 0\n").value(),
            "0|w(x)|3\n0|r(0x10)|4\n");
  EXPECT_THAT(losses_, ElementsAre("1 values", "1 widths of accesses", "2 starts and exits of threads",
                                   "source files of places",
                                   "how the trace was recorded (filter, order of accesses)"));
}

TEST_F(Std, RefusesWhatItCannotSay) {
  EXPECT_EQ(error_text(convert("rd 0 x\nst 0 x\n")),
            "STD has no operation for the atomic store of thread 0 (event 2); use .tid or .rvl");
  for (const std::string line :
       {"racq 0 l", "wait 0 c", "arrive 0 b", "alloc 0 0x10 4", "call 0 f", "fence 0 seq_cst"})
    EXPECT_THAT(error_text(convert(line + "\n")), HasSubstr("use .tid or .rvl")) << line;
  EXPECT_EQ(error_text(convert("rd 0 a|b\n")), "STD cannot name 'a|b' (event 1)");
  EXPECT_EQ(test::read_text(directory_.file("out.std")), "");
}

}  // namespace
}  // namespace ravel

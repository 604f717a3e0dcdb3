#include "trace/tiddle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/format.h"
#include "trace/tiddle_text.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::error_text;
using test::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Tiddle : public ::testing::Test {
 protected:
  Result<Recording> read(std::string_view text) {
    auto reader = open_tiddle(directory_.file("t.tid", text));
    if (!reader) return std::unexpected(reader.error());
    return test::drain(**reader);
  }

  /// The events as the writer puts them, without locations.
  std::vector<std::string> lines(const Recording& recording) {
    std::vector<std::string> all;
    ThreadNumbers numbers;
    TiddleLosses losses;
    for (const Event& event : recording.events)
      all.push_back(tiddle_text(event, recording.tables, numbers, losses).value());
    return all;
  }
  std::vector<std::string> lines(std::string_view text) { return lines(read(text).value()); }

  /// The error, without the directory of the file.
  std::string error(std::string_view text) {
    std::string message = error_text(read(text));
    const std::string directory = directory_.file("");
    if (message.starts_with(directory)) message.erase(0, directory.size());
    return message;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Tiddle, ReadsEveryOperationOfTheLanguage) {
  const std::vector<std::string> all = {"fork 0 1",
                                        "start 1",
                                        "rd 0 x",
                                        "wr 0 x -5",
                                        "ld 0 a relaxed",
                                        "ld 0 a 7",
                                        "st 0 a release 3",
                                        "rmw 0 a acq_rel",
                                        "ld 0 a acquire",
                                        "ld 0 a consume",
                                        "ld 0 a none",
                                        "fence 0 seq_cst",
                                        "acq 0 l",
                                        "rel 0 l",
                                        "racq 1 l",
                                        "rrel 1 l",
                                        "req 1 l",
                                        "wait 1 c",
                                        "notify 0 c",
                                        "wake 1 c",
                                        "notifyall 0 c",
                                        "arrive 0 b",
                                        "leave 0 b",
                                        "beg 0 u",
                                        "end 0 u",
                                        "beg 0",
                                        "end 0",
                                        "call 0 f",
                                        "ret 0 f",
                                        "alloc 0 0x7f0010 64",
                                        "rd 0 0x7f0010:4",
                                        "acq 0 0x7f0020:0",
                                        "rel 0 0x7f0020:0",
                                        "objbeg 0 0x7f0010 16 Queue",
                                        "objend 0 0x7f0010 16 -1",
                                        "free 0 0x7f0010 64",
                                        "rrd 1 x 3",
                                        "rwr 1 x 4",
                                        "elapse 1 3",
                                        "after 0 1 7",
                                        "after 0 1 relaxed 6",
                                        "exit 1",
                                        "join 0 1"};
  std::string text;
  for (const std::string& line : all) text += line + "\n";
  EXPECT_EQ(lines(text), all);
}

TEST_F(Tiddle, TestsNameEveryMnemonic) {
  // Keeps the test above complete when a kind is added.
  for (int i = 0; i < kEventKindCount; ++i) {
    const std::string_view word = mnemonic(static_cast<EventKind>(i));
    if (word.empty()) continue;
    EXPECT_THAT(error(std::string(word)),
                HasSubstr("wrong number of operands; expected: " + std::string(word)));
  }
}

TEST_F(Tiddle, FillsEvents) {
  const Recording recording = read("wr 0 x 5\nacq 0 l\nst 0 y -1\nrd 0 0x1000:2 0xff @17\n").value();
  ASSERT_EQ(recording.events.size(), 4u);
  const Event& write = recording.events[0];
  EXPECT_EQ(write.kind, EventKind::Write);
  EXPECT_EQ(write.thread, ThreadId(0u));
  EXPECT_EQ(write.target, synthetic_address(TargetSpace::Variable, 0));
  EXPECT_EQ(write.width, kSyntheticWidth);
  EXPECT_TRUE(write.has_value);
  EXPECT_EQ(write.value, 5u);
  EXPECT_EQ(write.position, 1u);
  EXPECT_EQ(recording.tables.places[write.place.index()], (Place{directory_.file("t.tid"), 1, ""}));
  EXPECT_EQ(recording.events[1].target, synthetic_address(TargetSpace::Lock, 0));
  EXPECT_FALSE(recording.events[1].has_value);
  EXPECT_EQ(recording.events[2].order, MemoryOrder::SeqCst);
  EXPECT_EQ(recording.events[2].value, ~std::uint64_t{0});
  EXPECT_EQ(recording.events[3].target, 0x1000u);
  EXPECT_EQ(recording.events[3].width, 2u);
  EXPECT_EQ(recording.events[3].value, 0xffu);
  EXPECT_EQ(recording.tables.places[recording.events[3].place.index()], (Place{"", 17, ""}));
}

TEST_F(Tiddle, ForksUnforkedThreadsFirst) {
  EXPECT_THAT(lines("rd 2 x\nwr 1 x\n"), ElementsAre("fork 0 2", "fork 0 1", "rd 2 x", "wr 1 x"));
  // Thread 3 has a fork of its own, thread 4 is only joined.
  EXPECT_THAT(lines("fork 1 3\nrd 3 x\njoin 1 4\n"),
              ElementsAre("fork 0 1", "fork 0 4", "fork 1 3", "rd 3 x", "join 1 4"));
  EXPECT_THAT(lines("rd 0 x\n"), ElementsAre("rd 0 x"));
  EXPECT_THAT(lines(""), ElementsAre());
  EXPECT_THAT(lines("# no implied forks\nrd 2 x\n"), ElementsAre("rd 2 x"));
}

TEST_F(Tiddle, NumbersThreadsByAppearance) {
  const Recording recording = read("rd 7 x\nrd 0 x\nrd 3 x\n").value();
  EXPECT_THAT(recording.tables.threads, ElementsAre("0", "7", "3"));
  // The place of an implied fork is the first use of the thread.
  EXPECT_EQ(recording.tables.places[recording.events[1].place.index()].line, 3u);
}

TEST_F(Tiddle, ExpandsSync) {
  EXPECT_THAT(lines("sync 0 L\n"), ElementsAre("acq 0 L", "rd 0 LVar", "wr 0 LVar", "rel 0 L"));
  EXPECT_EQ(error("sync 0 0x10:0\n"), "t.tid:1: sync needs the name of a lock");
}

TEST_F(Tiddle, ReadsLocationsAndComments) {
  const Recording recording = read(
                                  "rd 0 x @a.cpp:12 # why\r\n# nothing\n\n  rd\t0 x@b c.cpp:3:f(int, g)  "
                                  "\nrd 0 x @? \nrd 0 x @:4:h\n")
                                  .value();
  ASSERT_EQ(recording.events.size(), 4u);
  const auto& places = recording.tables.places;
  EXPECT_EQ(places[recording.events[0].place.index()], (Place{"a.cpp", 12, ""}));
  EXPECT_EQ(places[recording.events[1].place.index()], (Place{"b c.cpp", 3, "f(int, g)"}));
  EXPECT_FALSE(recording.events[2].place.valid());
  EXPECT_EQ(places[recording.events[3].place.index()], (Place{"", 4, "h"}));
}

TEST_F(Tiddle, SaysWhatIsWrong) {
  EXPECT_EQ(error("rd 0 x\nread 0 x\n"), "t.tid:2: unknown operation 'read'");
  EXPECT_EQ(error("rd 0\n"), "t.tid:1: wrong number of operands; expected: rd THREAD VARIABLE [VALUE]");
  EXPECT_EQ(error("rd 0 x 1 2\n"), "t.tid:1: wrong number of operands; expected: rd THREAD VARIABLE [VALUE]");
  EXPECT_EQ(error("exit 0 a b c d e f\n"), "t.tid:1: wrong number of operands; expected: exit THREAD");
  EXPECT_EQ(error("rrd 0 x\n"),
            "t.tid:1: wrong number of operands; expected: rrd THREAD VARIABLE [ORDER] TIME");
  EXPECT_EQ(error("after 0 1 relaxed\n"),
            "t.tid:1: wrong number of operands; expected: after THREAD THREAD [relaxed] TIME");
  EXPECT_EQ(error("elapse 0 0\n"), "t.tid:1: '0' is not a 32-bit number above 0");
  EXPECT_EQ(error("rd main x\n"), "t.tid:1: 'main' is not a thread number");
  EXPECT_EQ(error("fork 0 -1\n"), "t.tid:1: '-1' is not a thread number");
  EXPECT_EQ(error("rd 99999999999999999999 x\n"), "t.tid:1: '99999999999999999999' is not a thread number");
  EXPECT_EQ(error("wr 0 x 9223372036854775808\n"), "t.tid:1: '9223372036854775808' is not a 64-bit number");
  EXPECT_EQ(error("st 0 x strict\n"), "t.tid:1: 'strict' is neither a memory order nor a 64-bit number");
  EXPECT_EQ(error("fence 0 strict\n"), "t.tid:1: 'strict' is not a memory order");
  EXPECT_EQ(error("alloc 0 x 8\n"), "t.tid:1: 'x' is not an address below 0x8000000000000000");
  EXPECT_EQ(error("alloc 0 0x10 5000000000\n"), "t.tid:1: '5000000000' is not a 32-bit size");
  EXPECT_EQ(error("rd 0 0x8000000000000000:8\n"),
            "t.tid:1: '0x8000000000000000:8' is not an address below 0x8000000000000000 with a 32-bit width");
  EXPECT_EQ(error("rd 0 x @there\n"), "t.tid:1: 'there' is not a location; expected: @LINE or @FILE:LINE");
  EXPECT_EQ(error("@17\n"), "t.tid:1: a location without an operation: '@17'");
  EXPECT_EQ(error(std::string_view("rd 0 x\nrd 0\0x\n", 14)), "t.tid:2: unexpected character '\\x00'");
  EXPECT_EQ(error(std::string_view("# \0\n", 4)), "t.tid:1: unexpected character '\\x00'");
}

TEST_F(Tiddle, RefusesEndlessLines) {
  const std::string longest(10'000'000, 'x');
  EXPECT_EQ(error("rd 0 x\nrd 0 " + longest), "t.tid:2: the line is longer than 1048576 characters");
  EXPECT_EQ(error("rd 0 x\n# " + longest + "\n"), "t.tid:2: the line is longer than 1048576 characters");
  EXPECT_EQ(error(longest.substr(0, 1000)),
            "t.tid:1: unknown operation 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'");
}

TEST_F(Tiddle, HeaderSaysHowManyValuesThereAre) {
  const auto values = [this](std::string_view text) {
    return open_tiddle(directory_.file("v.tid", text)).value()->header().values;
  };
  EXPECT_EQ(values("wr 0 x\nrd 0 x\n"), ValueLevel::None);
  EXPECT_EQ(values("wr 0 x 1\nrd 0 x\n"), ValueLevel::Sampled);
  EXPECT_EQ(values("wr 0 x 1\nrd 0 x 1\nacq 0 l\n"), ValueLevel::Exact);
}

TEST_F(Tiddle, RewindRepeatsTheTrace) {
  std::string text;
  for (int i = 0; i < 10000; ++i)
    text += "rd " + std::to_string(i % 5) + " x" + std::to_string(i % 100) + "\n";
  auto reader = open_tiddle(directory_.file("r.tid", text)).value();
  const Recording first = test::drain(*reader).value();
  ASSERT_TRUE(reader->rewind());
  const Recording second = test::drain(*reader).value();
  EXPECT_EQ(first.events.size(), 10004u);
  EXPECT_EQ(first.events, second.events);
  EXPECT_EQ(first.tables, second.tables);
}

TEST_F(Tiddle, KnowsTheLineOfAnEvent) {
  auto reader = open_tiddle(directory_.file("l.tid", "# head\n\nrd 1 x\nsync 0 l\nwr 0 x\n")).value();
  std::vector<Event> batch;
  ASSERT_TRUE(reader->next(batch));
  std::vector<std::uint64_t> all;
  for (const Event& event : batch) all.push_back(reader->line_of(event.position));
  EXPECT_THAT(all, ElementsAre(3, 3, 4, 4, 4, 4, 5));
  EXPECT_EQ(reader->line_of(99), 0u);
}

TEST_F(Tiddle, ReadsExpectations) {
  const auto path = directory_.file(
      "e.tid",
      "# A race.\n# expect hb: race x\n#expect cp: none\n# expected: prose\nrd 0 x # expect no: comment\n");
  EXPECT_THAT(read_expectations(path).value(),
              ElementsAre(Expectation{"hb", "race x", 2}, Expectation{"cp", "none", 3}));
  const auto bad = directory_.file("bad.tid", "rd 0 x\n# expect hb race\n");
  EXPECT_EQ(error_text(read_expectations(bad)), bad + ":2: expected: # expect ANALYSIS: FINDINGS");
  EXPECT_FALSE(read_expectations(directory_.file("missing.tid")));
}

class TiddleWriting : public Tiddle {
 protected:
  Result<void> write(const Recording& recording, const std::string& path, const TraceHeader& header = {}) {
    auto writer = create_tiddle(path, header);
    if (!writer) return std::unexpected(writer.error());
    if (auto written = (*writer)->write(recording.events, recording.tables); !written) return written;
    auto finished = (*writer)->finish(recording.tables);
    losses_ = (*writer)->losses();
    return finished;
  }
  std::vector<std::string> losses_;
};

TEST_F(TiddleWriting, CallsThreadsByNumbers) {
  Recording recording = read("fork 0 1\nfork 0 2\n").value();
  recording.tables.threads = {"main", "0", "1"};
  const std::string path = directory_.file("out.tid");
  ASSERT_TRUE(write(recording, path));
  const std::string source = directory_.file("t.tid");
  // ThreadId 1 is called 0 itself, but main has taken that number.
  EXPECT_EQ(test::read_text(path), "# no implied forks\n# thread 0 is main\n# thread 1 is 0\nfork 0 1 @" +
                                       source + ":1\n# thread 2 is 1\nfork 0 2 @" + source + ":2\n");
}

TEST_F(TiddleWriting, RefusesNamesThatAreNoWords) {
  Recording recording = read("rd 0 x\n").value();
  for (const std::string name : {"a b", "a#b", "a@b", "", "a\tb", "0x10:4"}) {
    recording.tables.variables[0] = name;
    const std::string path = directory_.file("out.tid");
    EXPECT_THAT(error_text(write(recording, path)), HasSubstr("Tiddle cannot name the variable")) << name;
    EXPECT_EQ(test::read_text(path), "") << "nothing half-written";
  }
}

TEST_F(TiddleWriting, CountsLosses) {
  Recording recording = read("acq 0 l\n").value();
  recording.events[0].has_value = true;
  recording.events[0].order = MemoryOrder::Acquire;
  TraceHeader header;
  header.command = {"./a.out"};
  ASSERT_TRUE(write(recording, directory_.file("out.tid"), header));
  EXPECT_THAT(losses_, ElementsAre("1 values", "1 memory orders", "the command that was recorded"));
}

TEST_F(TiddleWriting, KeepsHowTheTraceWasRecorded) {
  TraceHeader header;
  header.filter = FilterLevel::Owner;
  header.access_order = AccessOrder::Hook;
  const std::string path = directory_.file("out.tid");
  ASSERT_TRUE(write(read("rd 0 x\n").value(), path, header));
  EXPECT_EQ(open_tiddle(path).value()->header(), header);
}

}  // namespace
}  // namespace ravel

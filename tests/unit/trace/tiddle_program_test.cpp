// Compiles traces to programs, builds them with the compiler at hand and runs them.
#include "trace/tiddle_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "trace/format.h"
#include "trace/tiddle_text.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::error_text;
using test::Recording;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kRuns = 200;

/// Output and status of a shell command.
struct Outcome {
  std::string output;
  int status = 0;
};
Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.output.append(buffer.data(), count);
  outcome.status = ::pclose(pipe);
  return outcome;
}

class TiddleProgram : public ::testing::Test {
 protected:
  Recording read(std::string_view text) {
    auto reader = open_trace(directory_.file("t.tid", text)).value();
    return test::drain(*reader).value();
  }
  Result<std::string> compile(std::string_view text, ProgramMode mode = ProgramMode::Deterministic) {
    const Recording recording = read(text);
    return compile_tiddle({recording.events, recording.tables}, mode);
  }
  std::string error(std::string_view text) {
    const Result<std::string> program = compile(text);
    return program ? "" : program.error().message;
  }
  /// What the program should print.
  std::string printed(const Recording& recording) {
    std::string text;
    ThreadNumbers numbers;
    TiddleLosses losses;
    for (const Event& event : recording.events)
      text += tiddle_text(event, recording.tables, numbers, losses).value() + "\n";
    return text;
  }
  /// Builds without any warning.
  std::string build(const std::string& program, const std::string& compiler = "g++") {
    const std::string source = directory_.file("p.cpp", program), binary = directory_.file("p");
    const Outcome outcome = shell(
        compiler + " -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -pthread -O1 -o " +
        binary + " " + source);
    EXPECT_EQ(outcome.status, 0) << outcome.output << program;
    return binary;
  }
  void expect_same_order(std::string_view text) {
    const Recording recording = read(text);
    const auto program = compile_tiddle({recording.events, recording.tables});
    ASSERT_TRUE(program) << error_text(program);
    const std::string binary = build(*program);
    const std::string expected = printed(recording);
    for (int i = 0; i < kRuns; ++i) {
      const Outcome outcome = shell(binary + " --print");
      ASSERT_EQ(outcome.status, 0) << outcome.output;
      ASSERT_EQ(outcome.output, expected) << "run " << i;
    }
    EXPECT_EQ(shell(binary).output, "");
  }

  test::TemporaryDirectory directory_;
};

TEST_F(TiddleProgram, RunsThreadsLocksUnitsAndValuesInOrder) {
  expect_same_order(
      "fork 0 1\nfork 1 2\nbeg 1 a\nrd 1 x 0\nwr 2 x 5\nrd 1 x 5\nend 1 a\nreq 0 l\nacq 0 l\nwr 0 y -3\nrel "
      "0 l\n"
      "acq 2 l\nrd 2 y -3\nwr 2 y\nrd 2 y 17\nrel 2 l\ncall 0 f\nret 0 f\nexit 1\njoin 0 1\njoin 0 2\nrd 0 x "
      "5\n");
}

TEST_F(TiddleProgram, RunsAtomicsBarriersAndSharedLocksInOrder) {
  expect_same_order(
      "st 1 flag release 1\nld 2 flag acquire 1\nrmw 1 flag acq_rel 7\nrd 2 flag 7\nfence 1 seq_cst\nrmw 2 "
      "count\n"
      "racq 1 l\nracq 2 l\nrrel 1 l\nrrel 2 l\nacq 1 l\nrel 1 l\n"
      "arrive 1 b\narrive 0 b\narrive 2 b\nleave 2 b\narrive 2 b\nleave 0 b\nleave 1 b\narrive 1 b\narrive 0 "
      "b\n"
      "leave 0 b\nleave 1 b\nleave 2 b\n");
}

TEST_F(TiddleProgram, RunsWaitsInOrder) {
  // Release after the wait began, lock taken by the notifier at once; wake-up after the lock is back.
  const std::string_view with_lock =
      "acq 1 m\nwait 1 c\nrel 1 m\nacq 2 m\nwr 2 ready 1\nnotify 2 c\nrel 2 m\nacq 1 m\nwake 1 c\nrd 1 ready "
      "1\nrel 1 m\n";
  expect_same_order(with_lock);
  EXPECT_THAT(compile(with_lock).value(), HasSubstr("held(m, std::adopt_lock)"));
  // Release before the wait, notify without the lock, other threads between wake-up and acquire.
  expect_same_order(
      "acq 1 m\nrel 1 m\nwait 1 d\nnotifyall 2 d\nwake 1 d\nacq 2 m\nrel 2 m\nacq 1 m\nrel 1 m\n"
      "wait 1 c\nwait 2 c\nnotify 0 c\nwake 2 c\nnotify 0 c\nwake 1 c\nwait 1 e\n");
}

TEST_F(TiddleProgram, RunsThreadsThatOthersJoin) {
  expect_same_order("fork 0 1\nfork 1 2\nfork 0 3\nwr 2 x 1\njoin 3 2\nrd 3 x 1\njoin 1 3\n");
}

TEST_F(TiddleProgram, BuildsWithClangAndInEveryMode) {
  const std::string_view text =
      "fork 0 1\nfork 1 2\nacq 1 m\nwait 1 c\nrel 1 m\nacq 2 m\nnotify 2 c\nrel 2 m\nacq 1 m\nwake 1 c\nrel "
      "1 m\n"
      "st 1 x\nrd 2 x\narrive 1 b\narrive 2 b\nleave 1 b\nleave 2 b\njoin 0 2\n";
  for (const auto mode :
       {ProgramMode::Deterministic, ProgramMode::Free, ProgramMode::Yield, ProgramMode::Sleep}) {
    const std::string program = compile(text, mode).value();
    build(program, "clang++-19");
    const std::string binary = build(program);
    // In every order each operation runs once.
    for (int i = 0; i < 20; ++i) {
      const Outcome outcome = shell(binary + " --print | sort");
      EXPECT_EQ(outcome.output, shell("sort " + directory_.file("expected", text)).output);
    }
  }
}

TEST_F(TiddleProgram, ToolsDoNotSeeTheLockstep) {
  // ThreadSanitizer finds the race although the accesses are turns apart, and none where the trace has locks.
  const auto reports = [this](std::string_view text, const std::string& compiler) {
    const std::string binary = build(compile(text).value(), compiler + " -g -fsanitize=thread");
    return shell("setarch -R " + binary).output;
  };
  for (const std::string compiler : {"g++", "clang++-19"}) {
    EXPECT_THAT(reports("rd 1 x\nwr 2 x 1\n", compiler), HasSubstr("data race")) << compiler;
    EXPECT_EQ(reports("acq 1 l\nrd 1 x\nrel 1 l\nacq 2 l\nwr 2 x 1\nrel 2 l\n", compiler), "") << compiler;
    EXPECT_EQ(reports("fork 0 1\nfork 1 2\nwr 2 x 1\njoin 3 2\nrd 3 x 1\n", compiler), "") << compiler;
  }
}

TEST_F(TiddleProgram, AwkwardNamesBecomeIdentifiers) {
  expect_same_order(
      "# no implied forks\nwr 0 int 1\nwr 0 NULL 2\nwr 0 a.b[3] 3\nwr 0 a_b_3_ 4\nwr 0 seen 5\nacq 0 "
      "int\nrel 0 int\n"
      "wr 0 0x7f0010:4 6\nwr 0 std 7\nwr 0 y1 8\nwr 0 \"\\?\?/ 9\narrive 0 b\nwr 0 at_b 1\nwr 0 errno 1\nwr "
      "0 thread_0 1\n"
      "rd 0 int 1\nrd 0 NULL 2\nrd 0 a.b[3] 3\nrd 0 a_b_3_ 4\nrd 0 seen 5\nrd 0 0x7f0010:4 6\nrd 0 std 7\nrd "
      "0 y1 8\n"
      "rd 0 \"\\?\?/ 9\nwr 0 m -9223372036854775808\nrd 0 m -9223372036854775808\n");
}

TEST_F(TiddleProgram, WrongValueStopsTheProgram) {
  const std::string binary = build(compile("wr 1 x 1\nrd 2 x 2\n").value());
  const Outcome outcome = shell(binary);
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("rd 2 x 2: the value is 1"));
}

TEST_F(TiddleProgram, RunsSeveralTracesInTurn) {
  const Recording first = read("wr 1 x 1\nrd 2 x 1\n"), second = read("rd 2 x 0\nwr 1 x 1\n");
  const std::array sources = {ProgramSource{first.events, first.tables},
                              ProgramSource{second.events, second.tables}};
  const std::string binary = build(compile_tiddle_many(sources).value());
  for (int i = 0; i < kRuns; ++i)
    ASSERT_EQ(shell(binary + " --print").output, printed(first) + printed(second));
}

TEST_F(TiddleProgram, RefusesWhatNoProgramCanDo) {
  EXPECT_EQ(error("alloc 0 0x10 8\n"), "a program cannot repeat the operation Alloc (event 1)");
  EXPECT_EQ(error("rrd 0 x 1\n"), "a program cannot repeat the operation RetroRead (event 1)");
  EXPECT_EQ(error("wake 0 c\n"), "a wake-up of a thread that does not wait (event 1)");
  EXPECT_EQ(error("notify 1 c\nwait 0 c\nwake 0 c\n"), "a wake-up without a notify before it (event 4)");
  EXPECT_EQ(error("wait 1 c\nwait 2 c\nnotify 0 c\nwake 1 c\nwake 2 c\n"),
            "a wake-up without a notify before it (event 7)");
  EXPECT_EQ(error("wait 0 c\nrd 0 x\n"), "the thread acts while it waits (event 2)");
  EXPECT_EQ(error("leave 0 b\n"), "a thread leaves a barrier at which it has not arrived (event 1)");
  EXPECT_EQ(error("arrive 0 b\narrive 0 b\n"),
            "a thread arrives twice at a barrier without leaving it (event 2)");
  EXPECT_EQ(error("arrive 0 b\nleave 0 b\narrive 1 b\n"),
            "a thread arrives at a barrier that others have left already (event 4)");
  EXPECT_EQ(error("arrive 0 b\nleave 0 b\narrive 0 b\narrive 1 c\nleave 0 b\narrive 1 c2\n"), "");
  EXPECT_EQ(error("arrive 0 b\narrive 1 b\nleave 0 b\nleave 1 b\narrive 0 b\nleave 0 b\n"),
            "barrier b does not always wait for the same number of threads");
  EXPECT_EQ(error("rd 0 0x10:4\nrd 0 0x12:4\n"),
            "a program cannot repeat accesses that overlap in part (event 2)");
  EXPECT_EQ(error("rd 0 0x10:4\nrd 0 0x10:8\n"),
            "a program cannot repeat accesses that overlap in part (event 2)");
  EXPECT_EQ(error("ld 0 x release\n"), "C++ has no atomic load with memory order release (event 1)");
  EXPECT_EQ(error("join 1 0\n"), "no thread can join the main thread of a program (event 2)");
}

TEST_F(TiddleProgram, ErrorsNameTheLine) {
  const Result<std::string> program = compile("# head\nrd 0 x\nfree 0 0x10 8\n");
  EXPECT_EQ(error_text(program),
            directory_.file("t.tid") + ":3: a program cannot repeat the operation Free (event 2)");
}

TEST_F(TiddleProgram, EmptyTraceIsAProgram) { EXPECT_EQ(shell(build(compile("").value())).status, 0); }

}  // namespace
}  // namespace ravel

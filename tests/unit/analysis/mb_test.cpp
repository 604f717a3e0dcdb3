// Embracer's state, step by step, and what mb reports.
#include "analysis/mb.h"

#include <gtest/gtest.h>

#include "analysis/lockset_table.h"
#include "analysis/must_before.h"
#include "support/detect.h"

namespace ravel {
namespace {

using Times = std::pair<Time, Time>;

class Figure152 : public testing::Test {
 protected:
  void step(EventKind kind, ThreadId thread, std::uint32_t target) {
    Event event;
    event.kind = kind;
    event.thread = thread;
    event.position = ++position_;
    event.resolve(target, LocksetTable::kEmpty);
    if (is_access(kind))
      state.access(std::span(&event, 1));
    else
      state.synchronize(event);
  }
  Times C(ThreadId thread) { return {state.C(thread, zero), state.C(thread, one)}; }
  Times clock(Epoch when) const {
    return when.none() ? Times(0, 0) : Times(state.known(when, zero), state.known(when, one));
  }
  Times W(VariableId of) const {
    const auto* variable = state.variable(of);
    return variable == nullptr ? Times(0, 0) : clock(variable->write.when);
  }
  /// The last read stands for those before it that it knows.
  Times R(VariableId of) const {
    const auto* variable = state.variable(of);
    return variable == nullptr ? Times(0, 0) : clock(variable->read.when);
  }

  const ThreadId zero{0U}, one{1U};
  const VariableId x{0U}, y{1U};
  const LockId m{0U};
  MustBefore state;

 private:
  std::uint64_t position_ = 0;
};

// Sadowski 2012, Figure 15.2; A_m is the clock after the increment, and with it the start of a section in H_m
// and the end of an edge in E.
TEST_F(Figure152, StepByStep) {
  EXPECT_EQ(C(zero), Times(1, 0));
  EXPECT_EQ(C(one), Times(0, 1));
  step(EventKind::Read, zero, 0);
  EXPECT_EQ(C(zero), Times(2, 0));
  EXPECT_EQ(R(x), Times(2, 0));
  EXPECT_EQ(state.A(m), nullptr);
  step(EventKind::Acquire, zero, 0);
  EXPECT_EQ(C(zero), Times(3, 0));
  ASSERT_NE(state.A(m), nullptr);
  EXPECT_EQ(clock(state.A(m)->acquired), Times(3, 0));  // the figure: <2,0>
  step(EventKind::Write, zero, 1);
  EXPECT_EQ(C(zero), Times(4, 0));
  EXPECT_EQ(W(y), Times(4, 0));
  step(EventKind::Release, zero, 0);
  EXPECT_EQ(C(zero), Times(4, 0));
  EXPECT_EQ(state.A(m), nullptr);
  ASSERT_EQ(state.H(m, zero).size(), 1U);
  EXPECT_EQ(state.H(m, zero)[0].acquired, 3U);  // the figure: 2
  EXPECT_EQ(clock({zero, state.H(m, zero)[0].released}), Times(4, 0));
  step(EventKind::Acquire, one, 0);
  EXPECT_EQ(C(one), Times(0, 2));
  EXPECT_EQ(clock(state.A(m)->acquired), Times(0, 2));  // the figure: <0,1>
  step(EventKind::Read, one, 1);
  EXPECT_EQ(C(one), Times(4, 3));
  EXPECT_EQ(R(y), Times(4, 3));
  ASSERT_EQ(state.B().size(), 1U);
  EXPECT_EQ(state.B()[0].first_when, Epoch(zero, 4));
  EXPECT_EQ(clock(state.B()[0].before), Times(0, 2));
  EXPECT_TRUE(state.E().empty());
  step(EventKind::Release, one, 0);
  EXPECT_EQ(C(one), Times(4, 3));
  ASSERT_EQ(state.E().size(), 1U);
  EXPECT_EQ(clock(state.E()[0].release), Times(4, 0));
  EXPECT_EQ(state.E()[0].acquire, Epoch(one, 2));  // the figure: <0,1>
  ASSERT_EQ(state.H(m, one).size(), 1U);
  EXPECT_EQ(clock({one, state.H(m, one)[0].released}), Times(4, 3));
  step(EventKind::Write, one, 0);
  EXPECT_EQ(C(one), Times(4, 4));
  EXPECT_EQ(W(x), Times(4, 4));
  EXPECT_EQ(R(x), Times(2, 0));
  EXPECT_EQ(state.B().size(), 1U);
  // The figure's last line: <4,0> is before adjust(<0,2>) = <4,2>, so there is no race.
  EXPECT_EQ(clock(state.B()[0].before), Times(4, 2));
  EXPECT_TRUE(state.closed());
  EXPECT_TRUE(state.settle().empty());
}

/// What must-before alone has.
std::string races(std::string_view tiddle) {
  return summary(detect(*trace_of(tiddle), make_mb({.embedded_hb = false})));
}

// Sadowski 2012, Figure 16.1.

TEST(MbRules, VolatileAccessesOrderAndDoNotRace) {
  EXPECT_EQ(races("wr 1 x\nst 1 f relaxed\nld 2 f relaxed\nwr 2 x\n"), "none");
  EXPECT_EQ(races("st 1 f\nst 2 f\nld 1 f\n"), "none");
  EXPECT_EQ(races("st 1 f\nwr 2 f\n"), "race f");
  // The plain write is behind an atomic one.
  EXPECT_EQ(races("wr 1 f\nst 1 f\nst 2 f\n"), "race f");
  EXPECT_EQ(races("rd 1 f\nst 1 f\nld 1 f\nst 2 f\n"), "race f");
}

TEST(MbRules, ForkComesBeforeTheThread) {
  EXPECT_EQ(races("wr 0 x\nfork 0 1\nwr 1 x\n"), "none");
  EXPECT_EQ(races("fork 0 1\nwr 0 x\nwr 1 x\n"), "race x");
}

TEST(MbRules, JoinComesAfterTheThread) {
  EXPECT_EQ(races("fork 0 1\nwr 1 x\njoin 0 1\nwr 0 x\n"), "none");
  EXPECT_EQ(races("fork 0 1\nfork 0 2\nwr 1 x\njoin 0 2\nwr 0 x\n"), "race x");
}

TEST(MbRules, NotifyComesBeforeTheEndOfAWait) {
  EXPECT_EQ(races("wait 2 c\nwr 1 x\nnotify 1 c\nwake 2 c\nwr 2 x\n"), "none");
  EXPECT_EQ(races("wait 2 c\nnotify 1 c\nwr 1 x\nwake 2 c\nwr 2 x\n"), "race x");
}

TEST(MbRules, NotifiesAreOrdered) { EXPECT_EQ(races("wr 1 x\nnotify 1 c\nnotify 2 c\nwr 2 x\n"), "none"); }

// [MB PRE WAIT] ends a section, [MB POST WAIT] begins one: those before and after the wait are ordered with
// the section of the other thread only as their clashes ask for.
TEST(MbRules, AWaitEndsItsSection) {
  EXPECT_EQ(races("acq 1 m\nrd 1 y\nrel 1 m\nwait 1 c\nacq 2 m\nwr 2 x\nnotifyall 2 c\nrel 2 m\n"
                  "wake 1 c\nacq 1 m\nrd 1 x\nrel 1 m\n"),
            "none");
  EXPECT_EQ(races("wr 1 y\nacq 1 m\nrel 1 m\nacq 2 m\nwr 2 x\nrel 2 m\nwr 2 y\n"), "race y");
}

TEST(MbRules, BarriersOrder) {
  EXPECT_EQ(races("wr 1 x\narrive 1 b\narrive 2 b\nleave 2 b\nleave 1 b\nwr 2 x\n"), "none");
  EXPECT_EQ(races("arrive 1 b\narrive 2 b\nleave 2 b\nwr 2 x\nleave 1 b\nwr 1 x\n"), "race x");
}

TEST(Mb, IsOnlyASuspicion) {
  const auto found = detect("wr 1 x\nwr 2 x\n", "mb");
  ASSERT_FALSE(found.empty());
  for (const Detected& each : found) EXPECT_EQ(each.verdict, Verdict::Suspected);
}

}  // namespace
}  // namespace ravel

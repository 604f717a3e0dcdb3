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

TEST(Mb, NotifyComesBeforeTheEndOfAWait) {
  EXPECT_EQ(summary(detect(*trace_of("wait 2 c\nwr 1 x\nnotify 1 c\nwake 2 c\nwr 2 x\n"),
                           make_mb({.embedded_hb = false}))),
            "none");
}

TEST(Mb, IsOnlyASuspicion) {
  const auto found = detect("wr 1 x\nwr 2 x\n", "mb");
  ASSERT_FALSE(found.empty());
  for (const Detected& each : found) EXPECT_EQ(each.verdict, Verdict::Suspected);
}

}  // namespace
}  // namespace ravel

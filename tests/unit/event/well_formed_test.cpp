#include "event/well_formed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ravel {
namespace {

using ::testing::ElementsAre;

/// A trace of a few threads, built event by event.
class Builder {
 public:
  Builder& add(EventKind kind, std::uint32_t thread, std::uint64_t target = 0, std::uint32_t width = 0) {
    Event event;
    event.kind = kind;
    event.thread = ThreadId(thread);
    event.target = target;
    event.width = width;
    event.position = events_.size() + 1;
    events_.push_back(event);
    return *this;
  }
  const std::vector<Event>& events() const { return events_; }

 private:
  std::vector<Event> events_;
};

constexpr std::uint64_t kLock = synthetic_address(TargetSpace::Lock, 0);
constexpr std::uint64_t kOtherLock = synthetic_address(TargetSpace::Lock, 1);
using enum EventKind;

/// Expects the trace to break `rule` at `position` in strict mode, and only that event to be dropped in
/// lenient mode.
void expect_broken(const Builder& trace, TraceRule rule, std::uint64_t position) {
  WellFormed strict;
  std::vector<Event> batch = trace.events();
  const auto violation = strict.filter(batch, false);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->rule, rule);
  EXPECT_EQ(violation->event.position, position);

  WellFormed lenient;
  batch = trace.events();
  EXPECT_FALSE(lenient.filter(batch, true));
  EXPECT_EQ(lenient.dropped(rule), 1u) << rule_text(rule);
  EXPECT_EQ(batch.size(), trace.events().size() - 1);
  for (const Event& event : batch) EXPECT_NE(event.position, position);
}

std::vector<std::uint64_t> kept(const Builder& trace, WellFormed& rules) {
  std::vector<Event> batch = trace.events();
  EXPECT_FALSE(rules.filter(batch, false));
  std::vector<std::uint64_t> positions;
  for (const Event& event : batch) positions.push_back(event.position);
  return positions;
}

std::size_t kept_count(const Builder& trace) {
  WellFormed rules;
  return kept(trace, rules).size();
}

TEST(WellFormed, LockHasOneOwner) {
  expect_broken(Builder().add(Acquire, 0, kLock).add(Acquire, 1, kLock), TraceRule::HeldByOther, 2);
  expect_broken(Builder().add(Acquire, 0, kLock).add(AcquireShared, 1, kLock), TraceRule::HeldByOther, 2);
  expect_broken(Builder().add(AcquireShared, 0, kLock).add(Acquire, 1, kLock), TraceRule::HeldByOther, 2);
  EXPECT_EQ(kept_count(Builder().add(AcquireShared, 0, kLock).add(AcquireShared, 1, kLock)), 2u);
  EXPECT_EQ(kept_count(Builder().add(Acquire, 0, kLock).add(Release, 0, kLock).add(Acquire, 1, kLock)), 3u);
}

TEST(WellFormed, ReadersDoNotUpgrade) {
  expect_broken(Builder().add(AcquireShared, 0, kLock).add(Acquire, 0, kLock), TraceRule::Upgrade, 2);
}

TEST(WellFormed, OnlyTheOwnerReleases) {
  expect_broken(Builder().add(Release, 0, kLock), TraceRule::NotOwner, 1);
  expect_broken(Builder().add(Acquire, 0, kLock).add(Release, 1, kLock), TraceRule::NotOwner, 2);
  expect_broken(Builder().add(Acquire, 0, kLock).add(ReleaseShared, 0, kLock), TraceRule::NotOwner, 2);
  expect_broken(Builder().add(AcquireShared, 0, kLock).add(Release, 0, kLock), TraceRule::NotOwner, 2);
}

TEST(WellFormed, ForkComesBeforeTheThread) {
  expect_broken(Builder().add(Read, 1).add(Fork, 0, 1), TraceRule::ForkAfterStart, 2);
  expect_broken(Builder().add(Fork, 0, 1).add(Fork, 0, 1), TraceRule::ForkAfterStart, 2);
  EXPECT_EQ(kept_count(Builder().add(Fork, 0, 1).add(Read, 1)), 2u);
}

TEST(WellFormed, ThreadsDoNotForkOrJoinThemselves) {
  expect_broken(Builder().add(Fork, 0, 0), TraceRule::OwnForkJoin, 1);
  expect_broken(Builder().add(Read, 0).add(Join, 0, 0), TraceRule::OwnForkJoin, 2);
}

TEST(WellFormed, NothingAfterTheEnd) {
  expect_broken(Builder().add(Fork, 0, 1).add(Join, 0, 1).add(Read, 1), TraceRule::AfterEnd, 3);
  expect_broken(Builder().add(ThreadExit, 0).add(Release, 0, kLock), TraceRule::AfterEnd, 2);
  expect_broken(Builder().add(Read, 0).add(ThreadExit, 0).add(Read, 0), TraceRule::AfterEnd, 3);
  // What another thread reports late happened before.
  EXPECT_EQ(kept_count(Builder().add(Fork, 0, 1).add(Join, 0, 1).add(RetroRead, 1)), 3u);
}

TEST(WellFormed, TimeIsLimited) {
  const auto elapse = [](std::uint64_t first, std::uint64_t second) {
    Builder trace;
    std::vector<Event> batch = trace.add(Elapse, 0).add(Elapse, 0).events();
    batch[0].value = first;
    batch[1].value = second;
    WellFormed rules;
    const auto violation = rules.filter(batch, false);
    return violation ? violation->event.position : 0;
  };
  EXPECT_EQ(elapse(1, 1 << 29), 0u);
  EXPECT_EQ(elapse(0, 1), 1u);
  EXPECT_EQ(elapse(1 << 29, (1 << 29) + 1), 2u);
  EXPECT_EQ(elapse(1, UINT64_MAX), 2u);
}

TEST(WellFormed, UnitsNest) {
  expect_broken(Builder().add(UnitEnd, 0, 5), TraceRule::UnitMismatch, 1);
  expect_broken(Builder().add(UnitBegin, 0, 5).add(UnitEnd, 1, 5), TraceRule::UnitMismatch, 2);
  expect_broken(Builder().add(UnitBegin, 0, 5).add(UnitBegin, 0, 6).add(UnitEnd, 0, 5),
                TraceRule::UnitMismatch, 3);
  EXPECT_EQ(
      kept_count(Builder().add(UnitBegin, 0, 5).add(UnitBegin, 0, 6).add(UnitEnd, 0, 6).add(UnitEnd, 0, 5)),
      4u);
}

TEST(WellFormed, ReentrantAcquiresAreFilteredWithTheirReleases) {
  WellFormed rules;
  const Builder trace = Builder()
                            .add(Acquire, 0, kLock)
                            .add(Acquire, 0, kLock)
                            .add(Release, 0, kLock)
                            .add(Write, 0)
                            .add(Release, 0, kLock)
                            .add(Acquire, 1, kLock);
  EXPECT_THAT(kept(trace, rules), ElementsAre(1, 4, 5, 6));
  EXPECT_EQ(rules.reentrant(), 1u);
  EXPECT_EQ(rules.non_nested(), 0u);
}

TEST(WellFormed, ReleasesOutOfOrderAreCounted) {
  WellFormed rules;
  const Builder trace = Builder()
                            .add(Acquire, 0, kLock)
                            .add(Acquire, 0, kOtherLock)
                            .add(Release, 0, kLock)
                            .add(Release, 0, kOtherLock);
  EXPECT_THAT(kept(trace, rules), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(rules.non_nested(), 1u);
}

TEST(WellFormed, FreedMemoryHoldsNoLocks) {
  constexpr std::uint64_t kAddress = 0x7f0010;
  const auto trace = [](std::uint64_t begin, std::uint32_t size) {
    return Builder().add(Acquire, 0, kAddress).add(Free, 0, begin, size).add(Acquire, 1, kAddress);
  };
  EXPECT_EQ(kept_count(trace(kAddress - 16, 64)), 3u);
  EXPECT_EQ(kept_count(trace(kAddress - 4096, 1 << 20)), 3u);
  expect_broken(trace(kAddress + 4, 64), TraceRule::HeldByOther, 3);
}

TEST(WellFormed, StateOutlivesABatch) {
  WellFormed rules;
  std::vector<Event> first = Builder().add(Acquire, 0, kLock).events();
  std::vector<Event> second = Builder().add(Acquire, 1, kLock).events();
  EXPECT_FALSE(rules.filter(first, false));
  EXPECT_TRUE(rules.filter(second, false));
}

}  // namespace
}  // namespace ravel

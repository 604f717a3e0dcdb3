// How a controlled run ended, from the notes of its stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream_fixture.h"
#include "trace/outcome_reader.h"

namespace ravel::test {
namespace {

using OutcomeTest = StreamTest;

TEST_F(OutcomeTest, NamesWaitsAndLocksWithTheirLastEvents) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  a.stamp(lock(EventKind::Acquire, 0x10));
  b.stamp(lock(EventKind::Acquire, 0x20));
  a.stamp(lock(EventKind::Request, 0x20));
  writer_.note("outcome deadlock 7");
  writer_.note("waiting 0 lock 20 0");
  writer_.note("holding 0 10 0");
  writer_.note("waiting 1 join 0 0");
  writer_.note("holding 1 20 0");
  writer_.note("departed 3 0.1 lock has%20ended");
  writer_.note("waiting x lock 20 0");
  writer_.stop(stream::Stop::Exit);
  OutcomeReader reader(*stream::open_reader(path_));
  std::vector<Event> batch;
  do {
    ASSERT_TRUE(reader.next(batch));
  } while (!batch.empty());
  const RunOutcome& outcome = reader.outcome();
  EXPECT_EQ(outcome.kind, "deadlock");
  EXPECT_EQ(outcome.step, 7);
  ASSERT_EQ(outcome.waiting.size(), 2);
  EXPECT_EQ(outcome.waiting[0].operation, "lock");
  EXPECT_EQ(outcome.waiting[0].object, 0x20);
  EXPECT_EQ(outcome.waiting[0].event, 3);
  EXPECT_EQ(outcome.waiting[1].event, 0);
  ASSERT_EQ(outcome.holding.size(), 2);
  EXPECT_EQ(outcome.holding[0].event, 1);
  EXPECT_EQ(outcome.holding[1].thread, ThreadId(1U));
  EXPECT_EQ(outcome.holding[1].event, 2);
  ASSERT_TRUE(outcome.departure);
  EXPECT_EQ(outcome.departure->thread, "0.1");
  EXPECT_EQ(outcome.departure->found, "has ended");
}

TEST_F(OutcomeTest, OfARunThatEndedByItselfIsEmpty) {
  writer_.add_thread().stamp(lock(EventKind::Acquire, 0x10));
  writer_.stop(stream::Stop::Exit);
  const auto reader = stream::open_reader(path_);
  std::vector<Event> batch;
  do {
    ASSERT_TRUE((*reader)->next(batch));
  } while (!batch.empty());
  EXPECT_EQ((*reader)->outcome().kind, "");
  EXPECT_FALSE((*reader)->outcome().departure);
}

}  // namespace
}  // namespace ravel::test

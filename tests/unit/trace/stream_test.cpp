// Recordings whose program is gone: the merge, and what records mean.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "stream_fixture.h"
#include "trace/format.h"
#include "trace/rvl.h"

namespace ravel::test {
namespace {

using stream::Control;
using stream::Record;
using stream::RecordExtra;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// "thread:target" of each event.
std::vector<std::string> order_of(const std::vector<Event>& events) {
  std::vector<std::string> order;
  for (const Event& event : events)
    order.push_back(std::to_string(event.thread.value) + ":" + std::to_string(event.target));
  return order;
}

TEST_F(StreamTest, UnstampedRecordsComeRightBeforeTheNextStamp) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  a.write(access(EventKind::Write, 1));
  b.write(access(EventKind::Write, 2));
  b.stamp(lock(EventKind::Acquire, 10));
  b.write(access(EventKind::Write, 3));
  b.stamp(lock(EventKind::Release, 10));
  a.stamp(lock(EventKind::Acquire, 10));
  const Outcome outcome = read_whole();
  EXPECT_EQ(outcome.error, "");
  EXPECT_THAT(order_of(outcome.events), ElementsAre("1:2", "1:10", "1:3", "1:10", "0:1", "0:10"));
  for (std::size_t i = 0; i < outcome.events.size(); ++i) EXPECT_EQ(outcome.events[i].position, i + 1);
  EXPECT_THAT(outcome.notes, IsEmpty());
  EXPECT_THAT(outcome.tables.threads, ElementsAre("main", "T1"));
}

TEST_F(StreamTest, NothingCountsFromTheStampOnAtWhichRecordsAreMissing) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  a.stamp(lock(EventKind::Acquire, 10));
  a.stamp(lock(EventKind::Release, 10));
  a.write(access(EventKind::Write, 1));
  writer_.head().end_stamp.store(writer_.head().stamps.load());
  b.write(access(EventKind::Write, 2));
  b.stamp(lock(EventKind::Acquire, 10));
  b.write(access(EventKind::Write, 3));
  b.stamp(lock(EventKind::Release, 10));
  writer_.stop(stream::Stop::SizeCap);
  const Outcome outcome = read();
  EXPECT_EQ(outcome.error, "");
  EXPECT_THAT(order_of(outcome.events), ElementsAre("0:10", "0:10", "0:1", "1:2"));
}

TEST_F(StreamTest, TrailingRecordsComeAtTheThreadsEnd) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  b.stamp({.kind = EventKind::ThreadStart});
  b.write(access(EventKind::Write, 2));
  b.end();
  a.write(access(EventKind::Write, 1));
  a.stamp({.kind = EventKind::Join, .body = 1});
  a.write(access(EventKind::Write, 3));
  const Outcome outcome = read_whole();
  // Before the join, which no event of the thread may follow; what is open at the end comes last.
  EXPECT_THAT(order_of(outcome.events), ElementsAre("1:0", "1:2", "0:1", "0:1", "0:3"));
}

TEST_F(StreamTest, ASilentThreadDelaysNobodyAndHasAName) {
  StreamThreadWriter& a = writer_.add_thread("first");
  StreamThreadWriter& silent = writer_.add_thread("silent");
  a.stamp(lock(EventKind::Acquire, 8));
  EXPECT_EQ(silent.index(), 1U);
  const Outcome outcome = read_whole();
  EXPECT_THAT(order_of(outcome.events), ElementsAre("0:8"));
  EXPECT_THAT(outcome.tables.threads, ElementsAre("first", "T1"));
}

TEST_F(StreamTest, RecordsCarryEverything) {
  writer_.head().filter = static_cast<std::uint8_t>(FilterLevel::Owner);
  writer_.head().access_order = static_cast<std::uint8_t>(AccessOrder::Hook);
  writer_.head().values = static_cast<std::uint8_t>(ValueLevel::Sampled);
  writer_.note("argument ./a%20b");
  writer_.note("argument 100%25");
  writer_.note("directory /tmp");
  writer_.note("environment A=1");
  writer_.note("library libgomp.so.1");
  writer_.note("instrumented");
  writer_.note("something new");
  StreamThreadWriter& a = writer_.add_thread();
  a.write({.kind = EventKind::AtomicStore,
           .body = 64,
           .width = 16,
           .ordinal = 7,
           .order = MemoryOrder::Release,
           .has_value = true,
           .value = 99});
  a.control(Control::Ordinal, 1000000);
  a.write({.kind = EventKind::Read, .body = 8, .width = 1, .ordinal = 5});
  a.stamp({.kind = EventKind::Acquire, .body = 16, .ordinal = 6});
  a.control(Control::Ordinal, 0);
  a.write({.kind = EventKind::Write, .body = 8, .width = 100, .ordinal = 1});
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.events.size(), 4U);
  const Event& store = outcome.events[0];
  EXPECT_EQ(store.kind, EventKind::AtomicStore);
  EXPECT_EQ(store.order, MemoryOrder::Release);
  EXPECT_EQ(store.width, 16U);
  EXPECT_TRUE(store.has_value);
  EXPECT_EQ(store.value, 99U);
  EXPECT_EQ(store.ordinal, 7U);
  EXPECT_EQ(outcome.events[1].ordinal, 1000005U);
  EXPECT_EQ(outcome.events[2].ordinal, 1000006U);
  EXPECT_EQ(outcome.events[3].ordinal, 1U);
  EXPECT_EQ(outcome.events[3].width, 100U);
  EXPECT_EQ(outcome.header.filter, FilterLevel::Owner);
  EXPECT_EQ(outcome.header.access_order, AccessOrder::Hook);
  EXPECT_EQ(outcome.header.values, ValueLevel::Sampled);
  EXPECT_THAT(outcome.header.command, ElementsAre("./a b", "100%"));
  EXPECT_EQ(outcome.header.directory, "/tmp");
  EXPECT_THAT(outcome.header.environment, ElementsAre("A=1"));
  EXPECT_TRUE(outcome.header.instrumented);
  EXPECT_THAT(outcome.header.unseen_libraries, ElementsAre("libgomp.so.1"));
  EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("libgomp")));
}

TEST_F(StreamTest, LateAccessesSayWhoseAndHowManyWords) {
  StreamThreadWriter& a = writer_.add_thread();
  writer_.add_thread();
  const std::uint64_t first_child_at_time_9 = std::uint64_t{1} << stream::kRetroThreadAt | 9;
  a.stamp(
      {.kind = EventKind::RetroWrite, .body = 64, .width = 8, .ordinal = 3, .value = first_child_at_time_9});
  a.stamp({.kind = EventKind::RetroRead, .body = 2, .width = 4, .value = first_child_at_time_9});
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.events.size(), 3U);
  EXPECT_EQ(outcome.events[0].kind, EventKind::Elapse);  // the child itself has not said that it is so late
  EXPECT_EQ(outcome.events[0].value, 8U);
  EXPECT_EQ(outcome.events[1].width, 32U);
  EXPECT_EQ(outcome.events[2].width, 4U);
  for (const Event& event : std::span(outcome.events).subspan(1)) {
    EXPECT_EQ(event.thread, ThreadId(std::size_t{1}));
    EXPECT_EQ(event.value, 9U);
    EXPECT_EQ(event.ordinal, 0U);
  }
}

// Local time goes on by events, and by what records say of it; whoever says it first.
TEST_F(StreamTest, TimeElapsesOnce) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  b.stamp({.kind = EventKind::Release, .body = 8});  // at time 1
  a.stamp({.kind = EventKind::After, .body = 1, .has_value = true, .value = 4});
  a.stamp(
      {.kind = EventKind::After, .body = 1, .order = MemoryOrder::Relaxed, .has_value = true, .value = 3});
  b.control(stream::Control::Time, 7);
  b.stamp({.kind = EventKind::Acquire, .body = 8});  // at time 7
  b.control(stream::Control::Time, 8);
  b.stamp({.kind = EventKind::Release, .body = 8});
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.error, "");
  std::vector<std::tuple<EventKind, std::uint32_t, std::uint64_t>> events;
  for (const Event& event : outcome.events) events.emplace_back(event.kind, event.thread.value, event.value);
  using enum EventKind;
  EXPECT_THAT(events, ElementsAre(std::tuple(Release, 1, 0), std::tuple(Elapse, 1, 3),
                                  std::tuple(After, 0, 4), std::tuple(After, 0, 3), std::tuple(Elapse, 1, 2),
                                  std::tuple(Acquire, 1, 0), std::tuple(Release, 1, 0)));
  EXPECT_EQ(outcome.events[2].other_thread(), ThreadId(std::size_t{1}));
  EXPECT_EQ(outcome.events[3].order, MemoryOrder::Relaxed);
}

TEST_F(StreamTest, HugeBlocksAreSplitNotClamped) {
  StreamThreadWriter& a = writer_.add_thread();
  constexpr std::uint64_t kSize = (std::uint64_t{5} << 30) + 3;
  a.write({.kind = EventKind::Alloc, .body = 4096, .width = kSize});
  a.write({.kind = EventKind::Fence, .order = MemoryOrder::SeqCst});
  const Outcome outcome = read_whole();
  std::uint64_t next = 4096;
  for (const Event& event : std::span(outcome.events).first(outcome.events.size() - 1)) {
    EXPECT_EQ(event.target, next);
    next += event.width;
  }
  EXPECT_EQ(next, 4096 + kSize);
  EXPECT_EQ(outcome.events.back().position, outcome.events.size());
}

TEST_F(StreamTest, PlacesAreCodeInModules) {
  writer_.note("module 100 555500000000 555500000000 4000 abcd /bin/a%20b");
  writer_.note("module 2000 7f0000001000 7f0000000000 100 - /lib/c.so");
  StreamThreadWriter& a = writer_.add_thread();
  a.write({.kind = EventKind::Read, .body = 8, .width = 4, .place = 0x100 + 0x10});
  a.write({.kind = EventKind::Read, .body = 8, .width = 4, .place = 0x2000 + 4});
  a.write({.kind = EventKind::Read, .body = 8, .width = 4, .place = 0x100 + 0x10});
  a.write({.kind = EventKind::Read, .body = 8, .width = 4, .place = 0x9000});
  a.write({.kind = EventKind::Read, .body = 8, .width = 4});
  const Outcome outcome = read_whole();
  const Tables& tables = outcome.tables;
  ASSERT_EQ(outcome.events.size(), 5U);
  EXPECT_EQ(tables.place_text(outcome.events[0].place), "/bin/a b+0x3f");
  EXPECT_EQ(tables.place_text(outcome.events[1].place), "/lib/c.so+0x100f");
  EXPECT_EQ(outcome.events[2].place, outcome.events[0].place);
  EXPECT_EQ(tables.place_text(outcome.events[3].place), std::to_string(0x9000));
  EXPECT_FALSE(outcome.events[4].place.valid());
  ASSERT_EQ(tables.modules.size(), 2U);
  EXPECT_EQ(tables.modules[0], (Module{"/bin/a b", "abcd", 0x555500000000, 0x555500000000, 0x4000}));
  EXPECT_EQ(tables.modules[1].build_id, "");
  EXPECT_EQ(tables.places[outcome.events[1].place.index()].module, ModuleId(std::size_t{1}));
  EXPECT_THAT(outcome.header.build_ids, ElementsAre("/bin/a b abcd"));
}

std::vector<std::uint64_t> calls_of(const Event& event, const Tables& tables) {
  std::vector<std::uint64_t> calls;
  for (StackId stack = event.stack; stack.valid(); stack = tables.stacks[stack.index()].parent)
    calls.push_back(tables.places[tables.stacks[stack.index()].call.index()].line);
  return calls;
}

TEST_F(StreamTest, StacksFollowCallsAndReturns) {
  StreamThreadWriter& a = writer_.add_thread();
  a.write(access(EventKind::Write, 8));
  for (const std::uint64_t call : {11, 12, 13}) a.control(Control::Call, call);
  a.write(access(EventKind::Write, 16));
  a.control(Control::Return, 2);
  a.write(access(EventKind::Write, 24));
  a.control(Control::Call, 12);
  a.control(Control::Call, 13);
  a.write(access(EventKind::Write, 32));
  a.control(Control::Return, 50);
  a.write(access(EventKind::Write, 40));
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.events.size(), 5U);
  const auto calls = [&](std::size_t i) { return calls_of(outcome.events[i], outcome.tables); };
  EXPECT_THAT(calls(0), IsEmpty());
  EXPECT_THAT(calls(1), ElementsAre(13, 12, 11));
  EXPECT_THAT(calls(2), ElementsAre(11));
  EXPECT_EQ(outcome.events[3].stack, outcome.events[1].stack);
  EXPECT_THAT(calls(4), IsEmpty());
}

TEST_F(StreamTest, LateAccessesHaveTheCallsOfTheirSites) {
  StreamThreadWriter& a = writer_.add_thread();
  writer_.add_thread();
  const std::uint32_t outer = writer_.add_site(5'000'011);
  const std::uint32_t left = writer_.add_site(5'000'212, outer);
  const std::uint32_t right = writer_.add_site(5'000'213, outer);
  const auto tell = [&](std::uint32_t place) { a.retro(EventKind::RetroWrite, 48, 4, place, 1, 1); };
  a.control(Control::Call, 5'000'999);  // not of the late accesses
  tell(writer_.add_site(5'000'477, left));
  tell(writer_.add_site(5'000'477, right));
  tell(right + 1);  // of the same group
  tell(5'000'477);  // there was no number left
  tell(0);
  a.write(access(EventKind::Read, 48));
  a.control(Control::Return, 1);
  a.control(Control::Call, 5'000'011);
  a.write(access(EventKind::Read, 48));
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.events.size(), 7U);
  const auto calls = [&](std::size_t i) { return calls_of(outcome.events[i], outcome.tables); };
  const auto code = [&](std::size_t i) {
    return outcome.tables.places[outcome.events[i].place.index()].line;
  };
  EXPECT_THAT(calls(0), ElementsAre(5'000'212, 5'000'011));
  EXPECT_THAT(calls(1), ElementsAre(5'000'213, 5'000'011));
  EXPECT_THAT(calls(2), ElementsAre(5'000'011));
  EXPECT_THAT(calls(3), IsEmpty());
  EXPECT_THAT(calls(4), IsEmpty());
  EXPECT_THAT(calls(5), ElementsAre(5'000'999));
  EXPECT_EQ(code(0), 5'000'477U);
  EXPECT_EQ(code(2), 5'000'214U);
  EXPECT_EQ(outcome.events[1].place, outcome.events[0].place);
  EXPECT_EQ(outcome.events[3].place, outcome.events[0].place);
  EXPECT_FALSE(outcome.events[4].place.valid());
  EXPECT_EQ(outcome.events[6].stack, outcome.events[2].stack);  // told in another way, and the same
}

TEST_F(StreamTest, ALateAccessMayHaveOneOfSeveralPlaces) {
  writer_.note("module 500000 555500000000 555500000000 4000 - /bin/p");
  StreamThreadWriter& a = writer_.add_thread();
  const std::uint32_t site = writer_.add_site(0x500010);
  for (const bool one_of_several : {false, true, true})
    a.retro(EventKind::RetroWrite, 48, 4, site, 0, 1, one_of_several);
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.events.size(), 3U);
  const auto place = [&](std::size_t i) { return outcome.tables.places[outcome.events[i].place.index()]; };
  EXPECT_FALSE(place(0).one_of_several);
  EXPECT_TRUE(place(1).one_of_several);
  EXPECT_EQ(place(1).text(), place(0).text());
  EXPECT_EQ(outcome.events[2].place, outcome.events[1].place);
}

TEST_F(StreamTest, ManyThreadsAndChunksComeInStampOrder) {
  constexpr std::uint32_t kThreads = 1500, kRounds = 40;
  std::vector<StreamThreadWriter*> threads;
  for (std::uint32_t i = 0; i < kThreads; ++i) threads.push_back(&writer_.add_thread());
  std::uint64_t number = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      StreamThreadWriter& thread = *threads[(i * 7 + round) % kThreads];
      thread.write(access(EventKind::Write, 8 * ++number));
      thread.stamp(lock(EventKind::Acquire, 8 * ++number));
    }
  }
  for (std::uint32_t i = 0; i < 10000; ++i) threads[3]->write(access(EventKind::Read, 8 * ++number));
  const Outcome outcome = read_whole();
  ASSERT_EQ(outcome.error, "");
  ASSERT_EQ(outcome.events.size(), number);
  for (std::size_t i = 0; i < number; ++i) ASSERT_EQ(outcome.events[i].target, 8 * (i + 1));
}

TEST_F(StreamTest, RewindsToTheSameEventsAndConverts) {
  writer_.note("module 100 400000 0 4000 - /bin/p");
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread("worker");
  a.control(Control::Call, 0x120);
  a.write({.kind = EventKind::Read, .body = 8, .width = 4, .place = 0x140, .ordinal = 3});
  b.stamp(lock(EventKind::Acquire, 16));
  a.stamp({.kind = EventKind::AtomicLoad, .body = 32, .width = 4, .order = MemoryOrder::Acquire});
  b.stamp(lock(EventKind::Release, 16));
  writer_.stop(stream::Stop::Exit);
  auto reader = open_trace(path_);
  ASSERT_TRUE(reader.has_value()) << reader.error().text();
  const Outcome first = read_rest(**reader);
  ASSERT_EQ(first.events.size(), 4U);
  ASSERT_TRUE((*reader)->rewind().has_value());
  EXPECT_EQ(read_rest(**reader).events, first.events);

  const std::string copy = directory_.file("copy.rvl");
  auto writer = rvl::create_writer(copy, first.header);
  ASSERT_TRUE(writer.has_value());
  ASSERT_TRUE((*writer)->write(first.events, first.tables).has_value());
  ASSERT_TRUE((*writer)->finish(first.tables).has_value());
  const Outcome again = read_all(open_trace(copy));
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(again.events, first.events);
  EXPECT_EQ(again.tables, first.tables);
  EXPECT_EQ(again.header, first.header);
}

}  // namespace
}  // namespace ravel::test

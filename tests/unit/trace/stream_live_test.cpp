// Recordings of running programs: the program is a thread (or several) of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "files.h"
#include "support/stream_writer.h"
#include "trace/checked_reader.h"
#include "trace/stream_reader.h"
#include "trace_text.h"

namespace ravel::test {
namespace {

using testing::HasSubstr;

class StreamLiveTest : public testing::Test {
 protected:
  std::unique_ptr<TraceReader> attach(std::uint32_t chunk_limit = 0) {
    auto reader =
        stream::attach(path_, {.is_alive = [this] { return alive_.load(); }, .chunk_limit = chunk_limit});
    CHECK(reader.has_value());
    return std::move(*reader);
  }
  /// The next events; at most a batch.
  static std::vector<Event> next(TraceReader& reader) {
    std::vector<Event> batch;
    const Result<void> read = reader.next(batch);
    CHECK(read.has_value(), read ? "" : read.error().text());
    return batch;
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("t.rvl");
  StreamWriter writer_{path_};
  std::atomic<bool> alive_ = true;
};

constexpr StreamRecord kAcquire{.kind = EventKind::Acquire, .body = 8};
constexpr StreamRecord kRelease{.kind = EventKind::Release, .body = 8};

TEST_F(StreamLiveTest, GivesWhatIsReadyThoughOtherThreadsAreSilent) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& silent = writer_.add_thread();
  const auto reader = attach();
  EXPECT_EQ(writer_.head().reader.load(), static_cast<std::uint32_t>(::getpid()));
  silent.write({.kind = EventKind::Write, .body = 16, .width = 4});
  a.stamp(kAcquire);
  a.write({.kind = EventKind::Write, .body = 24, .width = 4});
  ASSERT_EQ(next(*reader).size(), 1U);
  a.stamp(kRelease);
  ASSERT_EQ(next(*reader).size(), 2U);
  // A thread that comes later, too.
  StreamThreadWriter& late = writer_.add_thread("late");
  late.stamp(kAcquire);
  ASSERT_EQ(next(*reader).size(), 1U);
  EXPECT_EQ(reader->tables().threads[2], "late");
  alive_ = false;
  const std::vector<Event> last = next(*reader);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].thread, ThreadId(std::size_t{1}));
  EXPECT_EQ(last[0].position, 5U);
  EXPECT_TRUE(next(*reader).empty());
  EXPECT_THAT(reader->notes(), testing::ElementsAre(HasSubstr("killed")));
  EXPECT_FALSE(reader->rewind().has_value());
}

TEST_F(StreamLiveTest, WaitsForAThreadThatIsTakingAStamp) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  std::uint64_t stamp = 0;
  // The reader asks when it has nothing to give out: then the stamp is finished.
  const auto finish_stamp = [&] {
    if (stamp != 0) {
      const stream::RecordExtra extra{.stamp = stamp, .value = 0};
      b.raw({.head = static_cast<std::uint64_t>(EventKind::Notify) | 1U << stream::Record::kExtraAt,
             .body = 64},
            &extra);
      writer_.slot(1).stamping.store(0);
      stamp = 0;
    }
    return true;
  };
  auto reader = stream::attach(path_, {.is_alive = finish_stamp});
  ASSERT_TRUE(reader.has_value());
  a.stamp(kAcquire);
  a.stamp(kRelease);
  ASSERT_EQ(next(**reader).size(), 2U);
  writer_.slot(1).stamping.store(1);
  stamp = writer_.head().stamps.fetch_add(1);
  a.stamp(kAcquire);  // has a larger stamp, and is there first
  std::vector<Event> all = next(**reader);
  EXPECT_EQ(stamp, 0U);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].thread, ThreadId(std::size_t{1}));
  EXPECT_EQ(all[1].thread, ThreadId(std::size_t{0}));
}

TEST_F(StreamLiveTest, ChunksAreUsedAgain) {
  constexpr std::uint32_t kLimit = 16;
  constexpr std::uint64_t kSections = 100000;  // 4 records each: far more than 16 chunks hold
  std::vector<StreamThreadWriter*> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(&writer_.add_thread());
  auto reader = std::make_unique<CheckedReader>(attach(kLimit), Rules::Strict);
  std::mutex lock;
  std::atomic<int> running = static_cast<int>(threads.size());
  std::vector<std::jthread> program;
  for (StreamThreadWriter* thread : threads) {
    program.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < kSections; ++i) {
        thread->write({.kind = EventKind::Read, .body = 24, .width = 4, .ordinal = 1});
        lock.lock();
        thread->stamp(kAcquire);
        thread->write(
            {.kind = EventKind::Write, .body = 16, .width = 4, .place = static_cast<std::uint32_t>(i)});
        thread->stamp(kRelease);
        lock.unlock();
      }
      thread->end();
      if (--running == 0) {
        writer_.stop(stream::Stop::Exit);
        alive_ = false;
      }
    });
  }
  std::uint64_t events = 0;
  while (true) {
    const std::vector<Event> batch = next(*reader);
    if (batch.empty()) break;
    for (const Event& event : batch) ASSERT_EQ(event.position, ++events);
  }
  EXPECT_EQ(events, threads.size() * kSections * 4);
  EXPECT_LE(writer_.chunks_used(), kLimit);
  EXPECT_THAT(reader->notes(), testing::IsEmpty());
}

TEST_F(StreamLiveTest, AThreadThatNeverSynchronizesDoesNotFillMemory) {
  constexpr std::uint32_t kLimit = 8;
  constexpr std::uint64_t kAccesses = 200000;
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  const auto reader = attach(kLimit);
  b.stamp(kAcquire);
  std::jthread program([&] {
    a.stamp({.kind = EventKind::ThreadStart});
    for (std::uint64_t i = 1; i <= kAccesses; ++i)
      a.write({.kind = EventKind::Write, .body = 8 * i, .width = 4});
    a.stamp({.kind = EventKind::ThreadExit});
    a.end();
    alive_ = false;
  });
  std::uint64_t seen = 0;
  while (true) {
    const std::vector<Event> batch = next(*reader);
    if (batch.empty()) break;
    for (const Event& event : batch) {
      if (event.kind != EventKind::Write) continue;
      ASSERT_EQ(event.target, 8 * ++seen);
    }
  }
  EXPECT_EQ(seen, kAccesses);
  EXPECT_LE(writer_.chunks_used(), kLimit);
}

TEST_F(StreamLiveTest, AReaderThatLeavesLetsTheProgramRun) {
  StreamThreadWriter& a = writer_.add_thread();
  auto reader = attach(4);
  std::jthread program([&] {
    for (std::uint64_t i = 1; i <= 100000; ++i) a.write({.kind = EventKind::Write, .body = 8, .width = 4});
  });
  reader.reset();
  program.join();
  EXPECT_EQ(writer_.head().reader.load(), 0U);
  EXPECT_GT(writer_.chunks_used(), 4U);
}

TEST_F(StreamLiveTest, WhatIsLeftIsNoTraceWithoutItsBeginning) {
  StreamThreadWriter& a = writer_.add_thread();
  {
    const auto reader = attach(1000);
    for (std::uint64_t i = 1; i <= 5000; ++i) a.stamp({.kind = EventKind::Notify, .body = 8 * i});
    std::size_t seen = 0;
    while (seen < 4096) seen += next(*reader).size();
  }
  const Outcome outcome = read_all(stream::open_reader(path_));
  EXPECT_THAT(outcome.error, HasSubstr("its beginning is gone"));
  EXPECT_TRUE(outcome.events.empty());
}

TEST_F(StreamLiveTest, ARecordingThatStoppedEndsThoughTheProgramRuns) {
  StreamThreadWriter& a = writer_.add_thread();
  const auto reader = attach();
  a.stamp(kAcquire);
  writer_.stop(stream::Stop::SizeCap);
  EXPECT_EQ(next(*reader).size(), 1U);
  EXPECT_TRUE(next(*reader).empty());
  EXPECT_THAT(reader->notes(), testing::ElementsAre(HasSubstr("largest size")));
}

}  // namespace
}  // namespace ravel::test

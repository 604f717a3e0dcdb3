// Recordings that are not what they should be: what a killed program leaves, and damage.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "stream_fixture.h"

namespace ravel::test {
namespace {

using stream::Control;
using stream::Record;
using stream::RecordExtra;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- what a killed program leaves ---

TEST_F(StreamTest, AKilledProgramsRecordsAreReadUpToTheLastWholeOne) {
  StreamThreadWriter& a = writer_.add_thread();
  for (std::uint64_t i = 1; i <= 5000; ++i) a.write(access(EventKind::Write, 8 * i));
  writer_.slot(0).stamping.store(1);  // it was about to take a stamp
  // A record that was begun and not counted.
  std::memset(reinterpret_cast<char*>(a.chunk()) + stream::kChunkHeadBytes + a.chunk()->used.load(), 0xee, 8);
  const Outcome outcome = read();
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.events.size(), 5000U);
  EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("has no end")));
}

TEST_F(StreamTest, ATornListEndsTheThreadWithANote) {
  StreamThreadWriter& a = writer_.add_thread();
  StreamThreadWriter& b = writer_.add_thread();
  for (std::uint64_t i = 0; i < 5000; ++i) a.write(access(EventKind::Write, 8));
  b.write(access(EventKind::Write, 16));
  const std::size_t first = stream::kChunkRecordBytes / sizeof(Record);
  a.chunk()->thread = 77;  // linked before its head was made
  Outcome outcome = read();
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.events.size(), first + 1);
  EXPECT_THAT(outcome.notes, testing::Contains(HasSubstr("was not finished")));

  a.chunk()->thread = 0;
  writer_.chunk(writer_.slot(0).first.load()).next.store(100000);
  outcome = read();
  EXPECT_EQ(outcome.events.size(), first + 1);
  EXPECT_THAT(outcome.notes, testing::Contains(HasSubstr("is not in the file")));
}

TEST_F(StreamTest, AListWithACycleEnds) {
  StreamThreadWriter& a = writer_.add_thread();
  for (std::uint64_t i = 0; i < 10000; ++i) a.write(access(EventKind::Write, 8));
  a.chunk()->next.store(writer_.slot(0).first.load());
  const Outcome outcome = read();
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.events.size(), 10000U);
}

TEST_F(StreamTest, AFileThatWasCutOffGivesWhatIsThere) {
  StreamThreadWriter& a = writer_.add_thread();
  for (std::uint64_t i = 0; i < 100000; ++i) a.write(access(EventKind::Write, 8));
  for (const std::size_t chunks : {0, 1, 2, 3, 10}) {
    const std::string cut = directory_.file("cut.rvl");
    std::filesystem::copy_file(path_, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, stream::kChunksAt + chunks * stream::kChunkBytes + 100);
    const Outcome outcome = read_all(stream::open_reader(cut));
    EXPECT_EQ(outcome.error, "");
    EXPECT_EQ(outcome.events.size(), chunks < 2 ? 0 : (chunks - 1) * (stream::kChunkRecordBytes / 16));
  }
  std::filesystem::resize_file(path_, 5000);
  EXPECT_THAT(read().error, HasSubstr("too short"));
}

// --- damage: an error that says where ---

TEST_F(StreamTest, DamageIsAnErrorThatNamesTheThread) {
  StreamThreadWriter& a = writer_.add_thread();
  a.write(access(EventKind::Write, 8));
  for (const std::uint32_t used : {std::uint32_t{stream::kChunkRecordBytes + 16}, 0xffff'fff0U, 17U}) {
    a.chunk()->used.store(used);
    EXPECT_THAT(read().error, HasSubstr("thread 0 (main): chunk 0 claims")) << used;
  }
}

class StreamDamageTest : public StreamTest {
 protected:
  /// The error for a stream with this one record.
  std::string error_of(std::uint64_t head, std::uint64_t body, RecordExtra extra = {}) {
    StreamWriter writer(path_);
    StreamThreadWriter& a = writer.add_thread();
    const Record record{.head = head, .body = body};
    a.raw(record, record.extra() ? &extra : nullptr);
    return read().error;
  }
  static constexpr std::uint64_t kExtra = 1U << Record::kExtraAt;
  static std::uint64_t kind(EventKind kind) { return static_cast<std::uint64_t>(kind); }
};

TEST_F(StreamDamageTest, RecordsThatNoProgramWritesAreRefused) {
  EXPECT_EQ(error_of(kind(EventKind::Read), 8), "");
  EXPECT_THAT(error_of(kEventKindCount, 8), HasSubstr("unknown kind"));
  EXPECT_THAT(error_of(62, 8), HasSubstr("unknown kind"));
  EXPECT_THAT(error_of(kind(EventKind::Retire), 8), HasSubstr("no program has"));
  EXPECT_THAT(error_of(kind(EventKind::Read) | 7U << Record::kOrderAt, 8), HasSubstr("memory order"));
  EXPECT_THAT(error_of(kind(EventKind::Read) | 11U << Record::kWidthAt, 8), HasSubstr("unknown width"));
  EXPECT_THAT(error_of(kind(EventKind::Read) | 15U << Record::kWidthAt, 8), HasSubstr("lacks its width"));
  EXPECT_THAT(error_of(kind(EventKind::Read) | 1U << Record::kValueAt, 8), HasSubstr("lacks its value"));
  EXPECT_THAT(error_of(kind(EventKind::Alloc) | 15U << Record::kWidthAt | kExtra, 8, {0, ~0ULL}),
              HasSubstr("larger than memory"));
  EXPECT_THAT(error_of(kind(EventKind::Read), std::uint64_t{1} << 63), HasSubstr("address"));
  EXPECT_THAT(error_of(kind(EventKind::Fork), 1), HasSubstr("unknown thread"));
  EXPECT_THAT(error_of(kind(EventKind::UnitBegin), 0), HasSubstr("without a name"));
  EXPECT_THAT(error_of(kind(EventKind::RetroRead), 8), HasSubstr("without its thread"));
  EXPECT_THAT(error_of(kind(EventKind::RetroRead) | kExtra, 8, {0, std::uint64_t{9} << 40}),
              HasSubstr("unknown thread"));
  EXPECT_THAT(error_of(static_cast<std::uint64_t>(Control::Call), std::uint64_t{1} << 32), HasSubstr("code"));
  EXPECT_THAT(error_of(static_cast<std::uint64_t>(Control::Time), std::uint64_t{1} << 32),
              HasSubstr("no thread reaches"));
  EXPECT_THAT(error_of(kind(EventKind::RetroRead) | kExtra, 8, {0, std::uint64_t{1} << 39}),
              HasSubstr("no thread reaches"));
  EXPECT_THAT(error_of(kind(EventKind::Elapse), 1), HasSubstr("no program has"));
  EXPECT_THAT(error_of(kind(EventKind::After), 0), HasSubstr("lacks its time"));
  EXPECT_THAT(error_of(kind(EventKind::After), 9), HasSubstr("unknown thread"));
}

TEST_F(StreamTest, SitesThatNoProgramHasAreDamage) {
  StreamThreadWriter& a = writer_.add_thread();
  const std::uint32_t known = writer_.add_site(5'000'000);
  const std::uint32_t within_itself = writer_.add_site(5'000'000, 2 * stream::kGroupSites);
  const std::uint32_t in_that = writer_.add_site(5'000'000, within_itself);
  const std::uint32_t nowhere = stream::kGroupsPerChunk * stream::kGroupSites;
  a.retro(EventKind::RetroRead, 8, 4, known, 0, 1);
  EXPECT_EQ(read().error, "");
  const std::uint32_t used = a.chunk()->used.load();
  for (const std::uint32_t site : {within_itself, in_that, nowhere}) {
    a.chunk()->used.store(used);
    a.retro(EventKind::RetroRead, 8, 4, site, 0, 1);
    EXPECT_THAT(read().error, HasSubstr("unknown site")) << site;
  }
}

TEST_F(StreamTest, StampsThatGoBackAreDamage) {
  StreamThreadWriter& a = writer_.add_thread();
  const Record record{.head = static_cast<std::uint64_t>(EventKind::Acquire) | 1U << Record::kExtraAt,
                      .body = 8};
  for (const std::uint64_t stamp : {5, 5, 4}) {
    const RecordExtra extra{.stamp = stamp, .value = 0};
    a.raw(record, &extra);
  }
  EXPECT_THAT(read().error, HasSubstr("stamp 4 comes after stamp 5"));
}

TEST_F(StreamTest, AWrongHeadIsAnError) {
  writer_.head().thread_count.store(stream::kMaxThreads + 1);
  EXPECT_THAT(read().error, HasSubstr("claims"));
  writer_.head().filter = 9;
  EXPECT_THAT(read().error, HasSubstr("damaged"));
  writer_.head().version = 1;
  EXPECT_THAT(read().error, HasSubstr("version 1"));
  writer_.head().magic = 0;
  EXPECT_THAT(read().error, HasSubstr("not a recording"));
}

}  // namespace
}  // namespace ravel::test

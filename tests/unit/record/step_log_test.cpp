// The runtime's log of steps, as decisions of a schedule.
#include "event/step_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "record/kept_schedule.h"
#include "record/step_log.h"
#include "support/stream_writer.h"
#include "unit/trace/trace_text.h"

namespace ravel::test {
namespace {

using testing::HasSubstr;

class StepLogTest : public testing::Test {
 protected:
  void write_log(const std::vector<std::array<std::uint32_t, 3>>& entries, std::uint64_t count) {
    std::string bytes(step_log::kHeadBytes, '\0');
    const std::uint64_t head[] = {step_log::kMagic, count};
    std::memcpy(bytes.data(), head, sizeof head);
    for (const auto& [thread, kind, times] : entries) {
      const std::uint32_t entry[] = {thread << 8 | kind, times};
      bytes.append(reinterpret_cast<const char*>(entry), sizeof entry);
    }
    std::ofstream(directory_.file("t.steps"), std::ios::binary) << bytes;
  }

  /// A thread of the stream, started by `parent` as its `child`-th.
  void add_thread(std::uint32_t parent, std::uint32_t child) {
    stream::ThreadSlot& slot = writer_.slot(writer_.add_thread().index());
    slot.parent = parent;
    slot.index = child;
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("t.rvl");
  StreamWriter writer_{path_};
};

constexpr std::uint32_t number(OperationKind kind) { return static_cast<std::uint32_t>(kind); }

TEST_F(StepLogTest, BecomesDecisionsOfThreadsByTheirForkPaths) {
  add_thread(UINT32_MAX, 0);
  add_thread(0, 0);
  add_thread(0, 1);
  add_thread(2, 0);
  add_thread(UINT32_MAX, 0);  // nobody has started it
  write_log(
      {{0, number(OperationKind::Create), 2}, {3, number(OperationKind::Lock), 1}, {2, 0, 7}, {4, 0, 1}}, 4);
  const auto log = read_step_log(path_);
  ASSERT_TRUE(log) << log.error().text();
  EXPECT_EQ(log->steps(), 11);
  KeptSchedule schedule;
  schedule.set_decisions(*log);
  std::vector<std::string> texts;
  for (const Decision& decision : schedule.value.decisions)
    texts.push_back(std::string(decision.thread.text) + " " + std::to_string(decision.steps) + " " +
                    std::string(operation_text(decision.kind)));
  EXPECT_THAT(texts, testing::ElementsAre("0 2 create", "0.1.0 1 lock", "0.1 7 lock", "0.1000004 1 lock"));
}

TEST_F(StepLogTest, OfAProgramThatWasKilledEndsWhereTheFileDoes) {
  add_thread(UINT32_MAX, 0);
  write_log({{0, 0, 1}, {0, 1, 2}}, 5);
  const auto log = read_step_log(path_);
  ASSERT_TRUE(log);
  EXPECT_EQ(log->steps(), 3);
}

TEST_F(StepLogTest, WithUnknownThreadsOrKindsIsRefused) {
  add_thread(UINT32_MAX, 0);
  write_log({{1, 0, 1}}, 1);
  EXPECT_THAT(read_step_log(path_).error().text(), HasSubstr("damaged"));
  write_log({{0, 200, 1}}, 1);
  EXPECT_THAT(read_step_log(path_).error().text(), HasSubstr("damaged"));
  std::ofstream(directory_.file("t.steps")) << "text";
  EXPECT_THAT(read_step_log(path_).error().text(), HasSubstr("t.steps: not a record"));
}

TEST_F(StepLogTest, IsKeptInAScheduleFile) {
  add_thread(UINT32_MAX, 0);
  write_log({{0, number(OperationKind::Lock), 2}}, 1);
  KeptSchedule schedule;
  const std::vector<std::string> command = {"./prog", "a b"};
  schedule.value.command = schedule.keep(command);
  schedule.value.seed = 7;
  schedule.set_decisions(*read_step_log(path_));
  const std::string file = directory_.file("s.json");
  ASSERT_TRUE(schedule.write(file));
  const auto read = KeptSchedule::read(file);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->value == schedule.value);
}

}  // namespace
}  // namespace ravel::test

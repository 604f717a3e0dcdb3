// InputFile and OutputFile: what appears, what stays, and what the usual mistakes are called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "trace/input_file.h"
#include "trace/output_file.h"
#include "unit/trace/files.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::error_text;
using test::read_text;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_.file("")), {}));
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Files, OutputAppearsWithCommitAndNotBefore) {
  const std::string path = directory_.file("out", "old");
  auto out = OutputFile::create(path);
  ASSERT_TRUE(out);
  const std::string large(1 << 20, 'x');
  ASSERT_TRUE(out->write("a"));
  ASSERT_TRUE(out->write(large));
  ASSERT_TRUE(out->write("b"));
  EXPECT_EQ(read_text(path), "old");
  ASSERT_TRUE(out->commit());
  EXPECT_EQ(read_text(path), "a" + large + "b");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, AnAbandonedOutputLeavesNothing) {
  {
    auto out = OutputFile::create(directory_.file("out"));
    ASSERT_TRUE(out && out->write("a") && out->flush());
    const OutputFile moved = std::move(*out);
    EXPECT_EQ(entries(), 1U);
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(Files, AnOutputThatAppearsAtOnceIsNeverEmpty) {
  const std::string path = directory_.file("out", "old");
  {
    auto out = OutputFile::create(path, OutputFile::Appears::AtOnce);
    ASSERT_TRUE(out && out->write("begun"));
    EXPECT_EQ(read_text(path), "old");
    ASSERT_TRUE(out->flush());
    EXPECT_EQ(read_text(path), "begun");
    ASSERT_TRUE(out->write(", more") && out->flush());
  }
  EXPECT_EQ(read_text(path), "begun, more");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, ALinkStaysALink) {
  const std::string target = directory_.file("target", "old");
  const std::string link = directory_.file("link");
  fs::create_symlink(target, link);
  auto out = OutputFile::create(link);
  ASSERT_TRUE(out && out->write("new") && out->commit());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(target), "new");
}

TEST_F(Files, ADeviceIsWrittenInPlace) {
  auto out = OutputFile::create("/dev/null");
  ASSERT_TRUE(out && out->write("a") && out->commit());
  auto full = OutputFile::create("/dev/full");
  ASSERT_TRUE(full && full->write("a"));
  EXPECT_THAT(error_text(full->commit()), HasSubstr("/dev/full: cannot write: No space left"));
}

TEST_F(Files, MistakesAreNamed) {
  EXPECT_THAT(error_text(InputFile::open(directory_.file("none"))),
              HasSubstr("none: cannot read: no such file"));
  EXPECT_THAT(error_text(InputFile::open(directory_.file(""))), HasSubstr("it is a directory"));
  EXPECT_THAT(error_text(OutputFile::create(directory_.file(""))), HasSubstr("it is a directory"));
  EXPECT_THAT(error_text(OutputFile::create(directory_.file("no/folder"))),
              HasSubstr("cannot write: No such file"));
}

TEST_F(Files, InputFillsTheBufferAndRewinds) {
  auto in = InputFile::open(directory_.file("in", "abcde"));
  ASSERT_TRUE(in);
  char buffer[3];
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(*in->read(std::span(buffer)), 3U);
    EXPECT_EQ(*in->read(std::span(buffer)), 2U);
    EXPECT_EQ(std::string(buffer, 2), "de");
    EXPECT_EQ(*in->read(std::span(buffer)), 0U);
    ASSERT_TRUE(in->rewind());
  }
}

/// Puts the reading end of a pipe in the place of standard input for a while.
class PipedInput {
 public:
  explicit PipedInput(std::string_view text) : saved_(::dup(STDIN_FILENO)) {
    int ends[2];
    CHECK(::pipe(ends) == 0);
    CHECK(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
  }
  ~PipedInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;

 private:
  int saved_;
};

TEST_F(Files, StandardInputIsReadOnce) {
  const PipedInput input("abc");
  auto in = InputFile::open("-");
  ASSERT_TRUE(in);
  char buffer[10];
  EXPECT_EQ(*in->read(std::span(buffer)), 3U);
  EXPECT_THAT(error_text(in->rewind()), HasSubstr("cannot be read a second time"));
}

}  // namespace
}  // namespace ravel

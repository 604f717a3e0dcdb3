// What every run of a program gets.
#include "record/input.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "record/run_plan.h"
#include "unit/trace/trace_text.h"

namespace ravel::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Input, IsReadFromItsBeginningAgainAndAgain) {
  const TemporaryDirectory directory;
  const std::string text = std::string(200'000, 'x') + "end";
  std::ofstream(directory.file("a")) << text;
  const auto input = Input::copy(directory.file("a"));
  ASSERT_TRUE(input);
  EXPECT_EQ(input->size(), text.size());
  EXPECT_EQ(content(input->path()), text);
  EXPECT_EQ(content(input->path()), text);
  ASSERT_TRUE(input->save(directory.file("b")));
  EXPECT_EQ(content(directory.file("b")), text);
}

TEST(Input, HasAHashOfItsContent) {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("a")) << "same";
  std::ofstream(directory.file("b")) << "same";
  std::ofstream(directory.file("c")) << "other";
  const std::string hash = Input::copy(directory.file("a"))->hash();
  EXPECT_EQ(hash.size(), 16);
  EXPECT_EQ(Input::copy(directory.file("b"))->hash(), hash);
  EXPECT_NE(Input::copy(directory.file("c"))->hash(), hash);
  EXPECT_EQ(Input().hash(), "");
}

TEST(RunNumber, ReplacesEveryMention) {
  EXPECT_EQ(with_run_number("a{run}b{run}", 12), "a12b12");
  EXPECT_EQ(with_run_number("{run", 1), "{run");
  EXPECT_EQ(with_run_number("{{run}}", 0), "{0}");
}

}  // namespace
}  // namespace ravel::test

// The example strategy of docs/adding-a-strategy.md is compiled, run, and the same in the document and in the
// file.
#include "../../../examples/lazy.cpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "schedule/strategy.h"
#include "unit/schedule/simulator.h"

namespace ravel {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::string(RAVEL_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<SimStep> run_lazily(const SimProgram& program, std::uint64_t seed) {
  HeapBlocks blocks;
  Arena arena(HeapBlocks::more, &blocks);
  return Simulator(program).run(*make_lazy(schedule_with("lazy", seed), arena));
}

TEST(LazyExample, IsTheCodeOfTheDocument) {
  const std::string code = contents("examples/lazy.cpp");
  ASSERT_FALSE(code.empty());
  EXPECT_NE(contents("docs/adding-a-strategy.md").find("```cpp\n" + code + "```\n"), std::string::npos);
}

TEST(LazyExample, SwitchesSeldomAndAsTheSeedSays) {
  const SimProgram program = readers(4, 500);
  const auto steps = run_lazily(program, 1);
  ASSERT_EQ(steps.size(), 2000U);
  EXPECT_EQ(steps, run_lazily(program, 1));
  EXPECT_NE(steps, run_lazily(program, 2));
  EXPECT_GT(switches(steps), 50U);
  EXPECT_LT(switches(steps), 250U);
}

TEST(LazyExample, EndsALoopThatYields) {
  const SimProgram program = {{{.kind = OperationKind::Yield, .until = 1}},
                              {{.kind = OperationKind::Write, .sets = 1}}};
  EXPECT_LT(run_lazily(program, 1).size(), 50U);
}

}  // namespace
}  // namespace ravel

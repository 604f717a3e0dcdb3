#include <gtest/gtest.h>

#include <cstdlib>

namespace {

TEST(Freestanding, objects_ask_for_nothing_but_memory_functions) {
  // NOLINTNEXTLINE(cert-env33-c): a fixed command
  EXPECT_EQ(std::system("sh '" RAVEL_SOURCE_DIR "/tests/unit/schedule/freestanding.sh'"), 0);
}

}  // namespace

#include "schedule/arena.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "unit/schedule/support.h"

namespace ravel {
namespace {

TEST(Arena, gives_aligned_pieces_that_do_not_overlap) {
  alignas(16) std::array<std::byte, 64> memory{};
  Arena arena(memory);
  auto* character = static_cast<std::byte*>(arena.allocate(1, 1));
  auto* number = static_cast<std::byte*>(arena.allocate(8, 8));
  ASSERT_NE(number, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(number) % 8, 0u);
  EXPECT_GE(number, character + 1);
  EXPECT_LE(number + 8, memory.data() + memory.size());
}

TEST(Arena, out_of_memory_is_a_value_and_leaves_the_rest_usable) {
  std::array<std::byte, 16> memory{};
  Arena arena(memory);
  EXPECT_EQ(arena.allocate(17, 1), nullptr);
  EXPECT_NE(arena.allocate(16, 1), nullptr);
  EXPECT_EQ(arena.allocate(1, 1), nullptr);
}

TEST(Arena, sizes_that_overflow_are_out_of_memory) {
  HeapBlocks blocks;
  Arena arena(HeapBlocks::more, &blocks);
  EXPECT_EQ(arena.allocate(SIZE_MAX, 16), nullptr);
  EXPECT_EQ(arena.allocate_array<std::uint64_t>(SIZE_MAX / 4), nullptr);
}

TEST(Arena, asks_for_more_blocks) {
  HeapBlocks blocks;
  Arena arena(HeapBlocks::more, &blocks);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    auto* room = arena.allocate_array<std::uint64_t>(i);
    ASSERT_NE(room, nullptr);
    for (std::uint64_t j = 0; j < i; ++j) room[j] = j;  // the sanitizer watches
  }
}

TEST(Arena, a_copied_string_ends_with_nul) {
  HeapBlocks blocks;
  Arena arena(HeapBlocks::more, &blocks);
  const std::string_view copy = arena.copy("abc");
  EXPECT_EQ(copy, "abc");
  EXPECT_EQ(copy.data()[3], '\0');
  EXPECT_NE(arena.copy("").data(), nullptr);
}

TEST(ArenaVector, keeps_its_values_when_it_grows) {
  HeapBlocks blocks;
  Arena arena(HeapBlocks::more, &blocks);
  ArenaVector<int> values(arena);
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(values.push_back(i));
  ASSERT_EQ(values.size(), 1000u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(values.values()[static_cast<std::size_t>(i)], i);
}

TEST(ArenaVector, keeps_its_values_when_memory_runs_out) {
  alignas(4) std::array<std::byte, 8 * sizeof(int)> memory{};
  Arena arena(memory);
  ArenaVector<int> values(arena);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(values.push_back(i));
  EXPECT_FALSE(values.push_back(8));
  EXPECT_EQ(values.size(), 8u);
  EXPECT_EQ(values.values().back(), 7);
}

}  // namespace
}  // namespace ravel

#include "event/event.h"

#include <gtest/gtest.h>

#include <set>

namespace ravel {
namespace {

TEST(EventTable, MnemonicsAndNamesAreDistinct) {
  std::set<std::string_view> names, mnemonics;
  for (int i = 0; i < kEventKindCount; ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_TRUE(names.insert(kind_name(kind)).second) << kind_name(kind);
    EXPECT_FALSE(operation_text(kind).empty()) << kind_name(kind);
    if (mnemonic(kind).empty()) continue;
    EXPECT_TRUE(mnemonics.insert(mnemonic(kind)).second) << mnemonic(kind);
  }
  EXPECT_TRUE(mnemonic(EventKind::Split).empty());
  EXPECT_FALSE(mnemonics.contains("sync")) << "Tiddle's short form";
}

TEST(EventTable, MasksAgreeWithTargets) {
  for (int i = 0; i < kEventKindCount; ++i) {
    const auto kind = static_cast<EventKind>(i);
    const bool on_variable = target_space(kind) == TargetSpace::Variable && !kVariableLifetime.has(kind);
    EXPECT_EQ(is_access(kind), on_variable) << kind_name(kind);
    EXPECT_TRUE(is_access(kind) || (!is_write(kind) && !is_atomic(kind))) << kind_name(kind);
  }
}

TEST(EventTable, OrdersAcquireAndRelease) {
  EXPECT_FALSE(acquires(MemoryOrder::Relaxed) || releases(MemoryOrder::Relaxed));
  EXPECT_TRUE(acquires(MemoryOrder::Acquire) && !releases(MemoryOrder::Acquire));
  EXPECT_TRUE(acquires(MemoryOrder::Consume) && !releases(MemoryOrder::Consume));
  EXPECT_TRUE(!acquires(MemoryOrder::Release) && releases(MemoryOrder::Release));
  EXPECT_TRUE(acquires(MemoryOrder::AcqRel) && releases(MemoryOrder::AcqRel));
  EXPECT_TRUE(acquires(MemoryOrder::SeqCst) && releases(MemoryOrder::SeqCst));
}

TEST(SyntheticAddress, IsInjectiveAndApart) {
  std::set<std::uint64_t> all;
  for (const auto space :
       {TargetSpace::Variable, TargetSpace::Lock, TargetSpace::Condition, TargetSpace::Barrier}) {
    for (const std::uint32_t index : {0u, 1u, 2u, 0x1234567u, 0xffffffffu}) {
      const std::uint64_t address = synthetic_address(space, index);
      EXPECT_TRUE(is_synthetic(address));
      EXPECT_EQ(synthetic_index(address), index);
      EXPECT_TRUE(all.insert(address).second);
    }
  }
  EXPECT_FALSE(is_synthetic(0x7fff'ffff'ffff'ffffULL));
  EXPECT_GE(synthetic_address(TargetSpace::Variable, 1) - synthetic_address(TargetSpace::Variable, 0),
            kSyntheticWidth);
}

TEST(ResolvedEvent, KeepsIdAndLockset) {
  Event event;
  event.resolve(0xfffffffe, LocksetId(7u));
  EXPECT_EQ(event.variable(), VariableId(0xfffffffeu));
  EXPECT_EQ(event.held(), LocksetId(7u));
}

}  // namespace
}  // namespace ravel

// `.rvl` files whose checksums are right and whose content lies: each rule of the format has its error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/rvl.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"
#include "unit/trace/files.h"

namespace ravel {
namespace {

using testing::HasSubstr;

/// Builds files block by block, with right checksums, to lie about everything else.
class RvlCrafted : public testing::Test {
 protected:
  RvlCrafted() {
    rvl::append_file_head(file_);
    add({.type = rvl::BlockType::Header}, "{}");
    add({.type = rvl::BlockType::Names}, names());
  }
  /// One thread, nothing else.
  static std::string names() { return {"\0\1\1T\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20}; }

  void add(const rvl::BlockHead& head, std::string_view payload) {
    sealer_.seal(head, ByteSpan(reinterpret_cast<const unsigned char*>(payload.data()), payload.size()),
                 file_);
  }
  void add_events(const std::vector<Event>& events, std::uint32_t count, std::uint64_t first = 1,
                  std::uint32_t thread = rvl::kManyThreads) {
    Bytes payload;
    rvl::EventEncoder encoder;
    encoder.add(events);
    encoder.finish(payload);
    sealer_.seal({.type = rvl::BlockType::Events, .thread = thread, .events = count, .first_position = first},
                 payload, file_);
  }
  std::string error() const {
    const test::MemoryFile file({reinterpret_cast<const char*>(file_.data()), file_.size()});
    return test::read_all(rvl::open_reader(file.path())).error;
  }

  static Event event(EventKind kind, std::uint64_t target) {
    Event event;
    event.kind = kind;
    event.thread = ThreadId(0U);
    event.target = target;
    return event;
  }

  Bytes file_;
  rvl::BlockSealer sealer_;
};

TEST_F(RvlCrafted, TheHonestFileIsRead) {
  add_events({event(EventKind::Read, 8)}, 1, 1, 0);
  add({.type = rvl::BlockType::End, .first_position = 1}, "");
  EXPECT_EQ(error(), "");
}

TEST_F(RvlCrafted, CountsMustFitTogether) {
  add_events({event(EventKind::Read, 8)}, 2);
  EXPECT_THAT(error(), HasSubstr("columns do not fit together"));
}

TEST_F(RvlCrafted, PositionsMustFollow) {
  add_events({event(EventKind::Read, 8)}, 1, 7);
  EXPECT_THAT(error(), HasSubstr("begins with event 7, but event 1 comes next"));
}

TEST_F(RvlCrafted, TheEndKnowsTheNumberOfEvents) {
  add({.type = rvl::BlockType::End, .first_position = 3}, "");
  EXPECT_THAT(error(), HasSubstr("should have 3 events, but it has 0"));
}

TEST_F(RvlCrafted, ABlockOfOneThreadHasNoOther) {
  add_events({event(EventKind::Read, 8)}, 1, 1, 1);
  EXPECT_THAT(error(), HasSubstr("events of thread 1 only"));
}

TEST_F(RvlCrafted, NamesMustBeTheNextOnes) {
  add({.type = rvl::BlockType::Names}, names());
  EXPECT_THAT(error(), HasSubstr("not the next ones"));
}

TEST_F(RvlCrafted, TheHeaderMustBeAnObjectOfKnownTypes) {
  Bytes plain;
  rvl::append_file_head(plain);
  file_ = plain;
  add({.type = rvl::BlockType::Header}, "[]");
  EXPECT_THAT(error(), HasSubstr("not a JSON object"));
  file_ = plain;
  add({.type = rvl::BlockType::Header}, R"({"filter": "sometimes"})");
  EXPECT_THAT(error(), HasSubstr("'filter' is malformed"));
  file_ = plain;
  add({.type = rvl::BlockType::Header}, R"({"command": [1]})");
  EXPECT_THAT(error(), HasSubstr("'command' is malformed"));
}

TEST_F(RvlCrafted, SizesMustBeInRange) {
  const auto error_with = [this](rvl::BlockHead head) {
    Bytes bytes(rvl::kBlockHeadBytes);
    rvl::store_head(head, bytes.data());
    const Bytes before = file_;
    file_.insert(file_.end(), bytes.begin(), bytes.end());
    const std::string text = error();
    file_ = before;
    return text;
  };
  const rvl::BlockHead good{.type = rvl::BlockType::Events, .events = 1, .raw_size = 30, .stored_size = 30};
  rvl::BlockHead head = good;
  head.raw_size = head.stored_size = rvl::kMaxRawBytes + 1;
  EXPECT_THAT(error_with(head), HasSubstr("larger than a block may be"));
  head = good;
  head.stored_size = 31;
  EXPECT_THAT(error_with(head), HasSubstr("two sizes"));
  head = good;
  head.events = rvl::kMaxBlockEvents + 1;
  EXPECT_THAT(error_with(head), HasSubstr("event count"));
  head = good;
  head.type = static_cast<rvl::BlockType>(9);
  EXPECT_THAT(error_with(head), HasSubstr("type 9 is unknown"));
  head = {
      .type = rvl::BlockType::Names, .compressed = true, .raw_size = rvl::kMaxRawBytes, .stored_size = 100};
  EXPECT_THAT(error_with(head), HasSubstr("compressed more than"));
}

TEST_F(RvlCrafted, EveryIdMustHaveAName) {
  const Bytes before = file_;
  const auto error_of = [&](const Event& bad) {
    file_ = before;
    add_events({bad}, 1);
    return error();
  };
  Event bad = event(EventKind::Read, 8);
  bad.thread = ThreadId(1U);
  EXPECT_THAT(error_of(bad), HasSubstr("thread 1, which has no name"));
  bad = event(EventKind::Read, 8);
  bad.place = PlaceId(0U);
  EXPECT_THAT(error_of(bad), HasSubstr("event 1 refers to place 0"));
  EXPECT_THAT(error_of(event(EventKind::Fork, 1)), HasSubstr("target thread 1"));
  EXPECT_THAT(error_of(event(EventKind::UnitBegin, 0)), HasSubstr("unit 0"));
  EXPECT_THAT(error_of(event(EventKind::Read, synthetic_address(TargetSpace::Variable, 0))),
              HasSubstr("address 0x8"));
  EXPECT_THAT(error_of(event(EventKind::Acquire, synthetic_address(TargetSpace::Lock, 0))),
              HasSubstr("address 0x81"));
  EXPECT_THAT(error_of(event(EventKind::Notify, synthetic_address(TargetSpace::Lock, 0))),
              HasSubstr("address 0x81"));
  EXPECT_THAT(error_of(event(static_cast<EventKind>(kEventKindCount), 0)), HasSubstr("event kind"));
  bad = event(EventKind::ObjectBegin, 8);
  bad.has_value = true;
  EXPECT_THAT(error_of(bad), HasSubstr("class 0"));
  EXPECT_EQ(error_of(event(EventKind::Free, ~std::uint64_t{0})), "") << "a range need not have a name";
}

TEST_F(RvlCrafted, NamesReferOnlyToWhatCameBefore) {
  const auto error_of = [this](std::string_view rest) {
    file_.clear();
    rvl::append_file_head(file_);
    add({.type = rvl::BlockType::Header}, "{}");
    add({.type = rvl::BlockType::Names}, std::string(12, '\0') + std::string(rest));
    add({.type = rvl::BlockType::End}, "");
    return error();
  };
  using namespace std::string_view_literals;
  // Sections of modules, places and stacks: first entry, count, entries.
  constexpr std::string_view kModule = "\0\1\1m\0\0\0\0"sv;
  constexpr std::string_view kNothing = "\0\0"sv;
  const auto three = [&](std::string_view modules, std::string_view places, std::string_view stacks) {
    return error_of(std::string(modules) + std::string(places) + std::string(stacks));
  };
  EXPECT_EQ(three(kModule, "\0\1\1\5\0\0\0"sv, "\0\2\0\1\1\1"sv), "");
  EXPECT_THAT(three(kNothing, "\0\1\1\5\0\0\0"sv, kNothing), HasSubstr("malformed"));  // no such module
  EXPECT_THAT(three(kNothing, kNothing, "\0\1\0\1"sv), HasSubstr("malformed"));        // no such place
  EXPECT_THAT(three(kNothing, kNothing, "\0\1\1\0"sv), HasSubstr("malformed"));        // its own parent
  EXPECT_EQ(three(kNothing, kNothing, "\0\1\0\0"sv), "");
}

TEST_F(RvlCrafted, StacksMustBeKnown) {
  Event bad = event(EventKind::Read, 8);
  bad.stack = StackId(std::size_t{0});
  add_events({bad}, 1);
  EXPECT_THAT(error(), HasSubstr("stack 0, which has no name"));
}

}  // namespace
}  // namespace ravel

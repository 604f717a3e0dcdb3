// What a text format writes it reads back: random traces through Tiddle and STD.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "trace/std_format.h"
#include "trace/tiddle.h"
#include "unit/trace/trace_text.h"

namespace ravel {
namespace {

using test::Recording;

const std::vector<std::string> kNames = {"x",  "a.b[3]", "f(int)", "0x7f00", "-1", "é",   "A::b", "rd",
                                         "12", "\"q\"",  "()",     "x:4",    "$",  "a_b", "0x",   "?"};

/// Adds random events; ids and names are given by first appearance, as a reader does.
class RandomTrace {
 public:
  RandomTrace(std::vector<EventKind> kinds, std::vector<Place> places, bool plain)
      : kinds_(std::move(kinds)), places_(std::move(places)), plain_(plain) {}

  Recording make() {
    const auto size = *rc::gen::inRange<std::size_t>(0, 60);
    for (std::size_t i = 0; i < size; ++i) add();
    return std::move(recording_);
  }

 private:
  template <typename T>
  static std::size_t index_of(std::vector<T>& all, const T& item) {
    const auto found = std::ranges::find(all, item);
    const auto index = static_cast<std::size_t>(found - all.begin());
    if (found == all.end()) all.push_back(item);
    return index;
  }
  std::uint32_t name(std::vector<std::string>& all) {
    return static_cast<std::uint32_t>(index_of(all, *rc::gen::elementOf(kNames)));
  }
  std::uint32_t thread() {
    const auto number = *rc::gen::inRange(0, 6);
    return static_cast<std::uint32_t>(index_of(recording_.tables.threads, std::to_string(number * number)));
  }

  void add() {
    Tables& tables = recording_.tables;
    Event event;
    event.kind = *rc::gen::elementOf(kinds_);
    event.position = recording_.events.size() + 1;
    event.thread = ThreadId(thread());
    const TargetSpace space = target_space(event.kind);
    if (space == TargetSpace::Thread) {
      event.target = thread();
    } else if (space == TargetSpace::Unit) {
      event.target =
          *rc::gen::inRange(0, 4) == 0 ? index_of(tables.units, std::string()) : name(tables.units);
    } else if (space == TargetSpace::Range ||
               (!plain_ && space != TargetSpace::None && *rc::gen::arbitrary<bool>())) {
      event.target = *rc::gen::arbitrary<std::uint64_t>() >> 1;
      event.width = *rc::gen::arbitrary<std::uint32_t>();
    } else if (space != TargetSpace::None) {
      event.target = synthetic_address(space, name(tables.names(space)));
      if (space == TargetSpace::Variable) event.width = kSyntheticWidth;
    }
    if (plain_ || *rc::gen::inRange(0, 5) > 0)
      event.place = PlaceId(index_of(tables.places, *rc::gen::elementOf(places_)));
    if (!plain_) add_value(event);
    recording_.events.push_back(event);
  }

  void add_value(Event& event) {
    const bool optional = is_access(event.kind) || event.kind == EventKind::ObjectEnd;
    if (kToldOrder.has(event.kind)) {
      event.has_value = true;
      event.value = *rc::gen::inRange<std::uint32_t>(1, std::numeric_limits<std::uint32_t>::max());
      if (event.kind == EventKind::After && *rc::gen::arbitrary<bool>()) event.order = MemoryOrder::Relaxed;
    }
    if (kRetroAccesses.has(event.kind) || (optional && *rc::gen::arbitrary<bool>())) {
      event.has_value = true;
      event.value = *rc::gen::arbitrary<std::uint64_t>();
    }
    if (event.kind == EventKind::ObjectBegin && *rc::gen::arbitrary<bool>()) {
      event.has_value = true;
      event.value = name(recording_.tables.units);
    }
    if (is_atomic(event.kind) || kRetroAccesses.has(event.kind) || event.kind == EventKind::Fence)
      event.order = static_cast<MemoryOrder>(*rc::gen::inRange(0, static_cast<int>(MemoryOrder::SeqCst) + 1));
  }

  std::vector<EventKind> kinds_;
  std::vector<Place> places_;
  bool plain_;
  Recording recording_;
};

Recording write_and_read(const Recording& recording, TraceWriter& writer, const std::string& path,
                         auto open) {
  // In pieces, as a command that converts does.
  const std::size_t middle = recording.events.size() / 2;
  const std::span<const Event> events(recording.events);
  RC_ASSERT(test::error_text(writer.write(events.first(middle), recording.tables)) == "");
  RC_ASSERT(test::error_text(writer.write(events.subspan(middle), recording.tables)) == "");
  RC_ASSERT(test::error_text(writer.finish(recording.tables)) == "");
  RC_ASSERT(writer.losses().empty());
  auto reader = open(path);
  RC_ASSERT(test::error_text(reader) == "");
  return test::drain(**reader).value();
}

RC_GTEST_PROP(RoundTrip, Tiddle, ()) {
  std::vector<EventKind> kinds;
  for (int i = 0; i < kEventKindCount; ++i)
    if (!mnemonic(static_cast<EventKind>(i)).empty()) kinds.push_back(static_cast<EventKind>(i));
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("t.tid");
  const std::vector<Place> places = {{"", 17, ""},
                                     {"a.cpp", 3, ""},
                                     {"a.cpp", 3, "main"},
                                     {"", 3, "f"},
                                     {"b c:d.cpp", 1, "operator@ (int, ::T)"},
                                     {path, 2, ""},
                                     {path, 3, "g"}};
  const Recording recording = RandomTrace(kinds, places, false).make();
  auto writer = create_tiddle(path, {}).value();
  const Recording again = write_and_read(recording, *writer, path, open_tiddle);
  RC_ASSERT(again.events == recording.events);
  RC_ASSERT(again.tables == recording.tables);
}

RC_GTEST_PROP(RoundTrip, Std, ()) {
  using enum EventKind;
  const std::vector<EventKind> kinds = {Read, Write, Acquire,   Release, Request,
                                        Fork, Join,  UnitBegin, UnitEnd};
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("t.std");
  const Recording recording =
      RandomTrace(kinds, {{"", 0, ""}, {"", 5, ""}, {"", ~std::uint64_t{0}, ""}}, true).make();
  auto writer = create_std(path, {}).value();
  const Recording again = write_and_read(recording, *writer, path, open_std);
  RC_ASSERT(again.events == recording.events);
  RC_ASSERT(again.tables == recording.tables);
}

/// STD to Tiddle and back: Tiddle carries all that STD can say.
RC_GTEST_PROP(RoundTrip, StdThroughTiddle, ()) {
  using enum EventKind;
  const std::vector<EventKind> kinds = {Read, Write, Acquire,   Release, Request,
                                        Fork, Join,  UnitBegin, UnitEnd};
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("t.tid");
  const Recording recording = RandomTrace(kinds, {{"", 1, ""}, {"", 2, ""}}, true).make();
  auto writer = create_tiddle(path, {}).value();
  const Recording again = write_and_read(recording, *writer, path, open_tiddle);
  RC_ASSERT(again.events == recording.events);
  RC_ASSERT(again.tables == recording.tables);
}

}  // namespace
}  // namespace ravel

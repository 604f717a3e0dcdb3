#include <algorithm>
#include <bit>

#include "event/check.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"
#include "trace/rvl_model.h"

namespace ravel::rvl {
namespace {

struct CodedTarget {
  std::uint64_t bytes;
  unsigned control;
  unsigned length;  ///< in bytes
};

/// The difference from `base`, without the low bits that alignment makes zero.
CodedTarget code_target(std::uint64_t target, std::uint64_t base, std::uint32_t width, unsigned base_flag) {
  const std::uint64_t difference = target - base;
  if (difference == 0) return {0, base_flag, 0};
  // The shift follows the width, not the luck of this difference, so that the control bytes of one place are
  // alike.
  unsigned shift = is_synthetic(target) ? 3 : width >= 8 ? 2 : width >= 4 ? 1 : 0;
  while ((difference & ((std::uint64_t{1} << kShifts[shift]) - 1)) != 0) --shift;
  // An arithmetic shift: the difference may be negative.
  const auto scaled = static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> kShifts[shift]);
  const std::uint64_t coded = zigzag(scaled);
  const auto needed = static_cast<unsigned>(std::bit_width(coded) + 7) / 8;
  unsigned code = 0;
  while (kTargetLengths[code] < needed) ++code;
  return {coded, base_flag | code | shift << kShiftAt, kTargetLengths[code]};
}

Shape shape_of(const Event& event) {
  unsigned code = 0;
  while (code < kWidthFollows && kWidths[code] != event.width) ++code;
  return static_cast<Shape>(code | static_cast<unsigned>(event.order) << kShapeOrderAt);
}
static_assert(kWidthFollows == kWidths.size());

/// target_space() as a table.
const std::array<std::uint8_t, 64>& space_of_kind() {
  static const std::array<std::uint8_t, 64> table = [] {
    std::array<std::uint8_t, 64> spaces{};
    for (int kind = 0; kind < kEventKindCount; ++kind) {
      spaces[static_cast<std::size_t>(kind)] =
          static_cast<std::uint8_t>(target_space(static_cast<EventKind>(kind)));
    }
    return spaces;
  }();
  return table;
}

void append_low_bytes(unsigned char*& to, std::uint64_t value, unsigned count) {
  store_little(to, value);
  to += count;
}

}  // namespace

EventEncoder::EventEncoder() : model_(std::make_unique<Model>()) {}
EventEncoder::~EventEncoder() = default;
EventEncoder::EventEncoder(EventEncoder&&) noexcept = default;

std::uint32_t EventEncoder::slot_of(ThreadId thread) {
  if (thread.index() >= slots_.size()) slots_.resize(thread.index() + 1, 0);
  std::uint32_t& slot = slots_[thread.index()];
  if (slot == 0) {
    threads_.push_back(thread.value);
    model_->threads.emplace_back();
    slot = static_cast<std::uint32_t>(threads_.size());
  }
  return slot - 1;
}

void EventEncoder::encode(std::span<const Event> events, Bytes& payload) {
  CHECK(events.size() <= kMaxBlockEvents);
  Model& model = *model_;
  model.reset(0);
  for (const std::uint32_t thread : threads_) slots_[thread] = 0;
  threads_.clear();
  extras_.clear();
  std::vector<std::uint16_t> changes;
  ops_.resize(events.size());
  controls_.resize(events.size());
  // Room for the longest codes and for stores of whole words.
  places_.resize(events.size() * 4 + 8);
  targets_.resize(events.size() * 8 + 8);
  unsigned char* place_to = places_.data();
  unsigned char* target_to = targets_.data();

  const std::array<std::uint8_t, 64>& spaces = space_of_kind();
  ThreadId last_thread;
  ThreadModel* thread = nullptr;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const auto kind = static_cast<unsigned>(event.kind);
    unsigned op = kind;
    if (thread == nullptr || event.thread != last_thread) {
      op |= kThreadChanges;
      last_thread = event.thread;
      const std::uint32_t slot = slot_of(event.thread);
      changes.push_back(static_cast<std::uint16_t>(slot));
      thread = &model.threads[slot];
    }

    unsigned control = 0;
    const std::uint32_t place = event.place.value + 1;
    std::uint32_t& next_place = model.next_places[Model::entry(thread->place, kind)];
    if (place != next_place) {
      const std::uint32_t coded = zigzag(place - thread->place);
      const unsigned code = coded < 0x100 ? 1 : coded < 0x10000 ? 2 : 3;
      control = code << kPlaceAt;
      append_low_bytes(place_to, coded, kPlaceLengths[code]);
    }
    next_place = thread->place = place;

    const unsigned context = Model::entry(place, kind);
    std::uint64_t& last_target = thread->targets[spaces[kind]];
    CodedTarget target = code_target(event.target, model.targets[context], event.width, kBaseIsContext);
    if (target.length != 0) {
      const CodedTarget other = code_target(event.target, last_target, event.width, 0);
      if (other.length < target.length) target = other;
    }
    append_low_bytes(target_to, target.bytes, target.length);
    model.targets[context] = last_target = event.target;
    controls_[i] = static_cast<unsigned char>(control | target.control);

    const Shape shape = shape_of(event);
    const Shape expected =
        model.shapes[context] == kNoShape ? model.kind_shapes[kind] : model.shapes[context];
    const bool width_follows = (shape & kWidthMask) == kWidthFollows;
    if (shape != expected || width_follows || event.has_value || event.value != 0) {
      op |= kHasExtras;
      extras_.push_back(static_cast<unsigned char>((event.has_value ? kExtraHasValue : 0) |
                                                   (event.value != 0 ? kExtraValue : 0) |
                                                   shape << kExtraShapeAt));
      if (width_follows) append_varint(extras_, event.width);
      if (event.value != 0) append_varint(extras_, event.value);
      model.kind_shapes[kind] = shape;
    }
    model.shapes[context] = shape;
    ops_[i] = static_cast<unsigned char>(op);
  }

  const std::size_t slot_bytes = threads_.size() <= kSmallThreads ? 1 : 2;
  changes_.resize(changes.size() * slot_bytes);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (slot_bytes == 1) {
      changes_[i] = static_cast<unsigned char>(changes[i]);
    } else {
      store_little(&changes_[i * 2], changes[i]);
    }
  }

  contexts_.encode(events, ordinals_, call_stacks_);

  payload.clear();
  const ByteSpan place_bytes(places_.data(), place_to);
  const ByteSpan target_bytes(targets_.data(), target_to);
  for (const std::size_t number : {threads_.size(), changes.size(), place_bytes.size(), target_bytes.size(),
                                   extras_.size(), ordinals_.size(), call_stacks_.size()}) {
    append_little(payload, static_cast<std::uint32_t>(number));
  }
  for (const std::uint32_t id : threads_) append_little(payload, id);
  for (const ByteSpan column :
       {ByteSpan(changes_), ByteSpan(ops_), ByteSpan(controls_), place_bytes, target_bytes, ByteSpan(extras_),
        ByteSpan(ordinals_), ByteSpan(call_stacks_)}) {
    payload.insert(payload.end(), column.begin(), column.end());
  }
}

}  // namespace ravel::rvl

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "event/check.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"
#include "trace/rvl_model.h"

namespace ravel::rvl {
namespace {

// Most events are what the model expects; those take the short way, in few instructions. How others are
// written is what a processor's branch prediction cannot know: that is chosen by arithmetic.

// The tables and conditions of the format as arithmetic: a look-up takes longer, and what comes behind it has
// to wait.
static_assert(kTargetLengths == std::array<std::uint8_t, 8>{0, 1, 2, 3, 4, 5, 6, 8});
static_assert(kShifts == std::array<std::uint8_t, 4>{0, 2, 3, 4});

/// Where the highest bit is. Of zero: as of one.
unsigned highest_bit(std::uint64_t number) {
  return 63U ^ static_cast<unsigned>(std::countl_zero(number | 1));
}

/// Whether it needs fewer bytes. A guess for numbers of 64 bits.
bool is_shorter(std::uint64_t a, std::uint64_t b) {
  return highest_bit(2 * a) + 7 < ((highest_bit(2 * b) + 7) & ~7U);
}

/// What follows from an event's width.
struct WidthCode {
  std::uint16_t shape;  ///< without the memory order; perhaps with kAlwaysWritten
  /// Bits at the end of a difference that are left out if they are all alike. This follows the width, not the
  /// luck of one difference, so that the control bytes of one place are alike.
  std::uint16_t shift;
};
constexpr unsigned kAlwaysWritten = 0x1000;  ///< beside a shape: it equals no shape that was seen
constexpr std::size_t kOtherWidth = kWidths.back() + 1;
constexpr std::array<WidthCode, kOtherWidth + 1> kWidthCodes = [] {
  std::array<WidthCode, kOtherWidth + 1> codes{};
  for (std::size_t width = 0; width < codes.size(); ++width)
    codes[width] = {kWidthFollows | kAlwaysWritten, kShifts[(width >= 8 ? 1U : 0U) + (width >= 4 ? 1U : 0U)]};
  for (std::size_t code = 0; code < kWidths.size(); ++code)
    codes[kWidths[code]].shape = static_cast<Shape>(code);
  return codes;
}();
constexpr unsigned kWidestShift = 4;  ///< of a synthetic address

/// How many bits at the end of a zigzag difference may be left out, four at most: those that alignment makes
/// zero are all alike.
unsigned spare_bits(std::uint64_t coded) {
  return static_cast<unsigned>(std::countr_zero((coded ^ coded >> 1) | 1U << kWidestShift));
}

/// Of the widest shift that leaves out so many bits or fewer.
unsigned shift_code_of(unsigned bits) { return bits - (bits != 0 ? 1U : 0U); }

/// The shape, without what the width adds to it, and more bits if there is a value.
unsigned order_and_value(const Event& event) {
  static_assert(offsetof(Event, kind) == 0 && offsetof(Event, order) == 1 && offsetof(Event, has_value) == 2);
  static_assert(kShapeOrderAt == 3);
  std::uint32_t word;
  std::memcpy(&word, &event, sizeof(word));
  return word >> (8 - kShapeOrderAt) & 0xff8;
}

constexpr std::array<std::uint8_t, 64> kSpaces = [] {
  std::array<std::uint8_t, 64> spaces{};
  for (const EventKind kind : kEventKinds)
    spaces[static_cast<std::size_t>(kind)] = static_cast<std::uint8_t>(target_space(kind));
  return spaces;
}();

/// Kinds whose targets and values need no names, unless the target is a synthetic address.
constexpr KindMask kNameless = [] {
  KindMask kinds;
  for (const EventKind kind : kEventKinds) {
    const TargetSpace space = target_space(kind);
    if (space != TargetSpace::Thread && space != TargetSpace::Unit && kind != EventKind::ObjectBegin)
      kinds = kinds | KindMask::of(kind);
  }
  return kinds;
}();

unsigned char* put_varint(unsigned char* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<unsigned char>(value | 0x80);
  *to++ = static_cast<unsigned char>(value);
  return to;
}

// The longest entry of each column, and the bytes that a store of a whole word may write beyond it.
constexpr std::size_t kChangeBytes = 2, kMaxPlace = 4, kMaxTarget = 8, kMaxExtras = 1 + 5 + kMaxVarintBytes,
                      kMaxOrdinal = 5, kMaxStack = 3 + 5, kOverrun = 8;
static_assert(kMaxBlockEvents <= 1U << 21, "a number of events is a varint of three bytes");

}  // namespace

EventEncoder::EventEncoder() : model_(std::make_unique<Model>()) { model_->reset(0); }
EventEncoder::~EventEncoder() = default;
EventEncoder::EventEncoder(EventEncoder&&) noexcept = default;

unsigned char* EventEncoder::Column::reserve(std::size_t more) {
  if (bytes.size() < used + more + kOverrun) bytes.resize(std::max(used + more + kOverrun, 2 * bytes.size()));
  return bytes.data() + used;
}

std::uint32_t EventEncoder::slot_of(ThreadId thread) {
  CHECK(thread.valid());
  if (thread.index() >= slots_.size()) slots_.resize(thread.index() + 1, 0);
  std::uint32_t& slot = slots_[thread.index()];
  if (slot == 0) {
    threads_.push_back(thread.value);
    model_->threads.emplace_back().id = thread;
    slot = static_cast<std::uint32_t>(threads_.size());
    named_.threads = std::max(named_.threads, thread.value + 1);
  }
  return slot - 1;
}

NamesNeeded EventEncoder::add(std::span<const Event> events) {
  CHECK(count_ + events.size() <= kMaxBlockEvents);
  named_ = {};
  while (!events.empty()) {
    const auto strip = events.first(std::min(events.size(), kStrip));
    put(strip);
    events = events.subspan(strip.size());
  }
  return named_;
}

/// One pass for all columns: what a branch has told about an event helps to predict those behind it.
void EventEncoder::put(std::span<const Event> events) {
  Model& model = *model_;
  unsigned char* op_to = ops_.reserve(events.size());
  unsigned char* control_to = controls_.reserve(events.size());
  unsigned char* change_to = changes_.reserve(events.size() * kChangeBytes);
  unsigned char* place_to = places_.reserve(events.size() * kMaxPlace);
  unsigned char* target_to = targets_.reserve(events.size() * kMaxTarget);
  unsigned char* extra_to = extras_.reserve(events.size() * kMaxExtras);
  unsigned char* ordinal_to = ordinals_.reserve(events.size() * kMaxOrdinal);
  unsigned char* stack_to = stacks_.reserve(events.size() * kMaxStack);
  ThreadId last_thread = last_thread_;
  ThreadModel* last_model =
      &model.threads[slot_of(last_thread.valid() ? last_thread : events.front().thread)];
  std::uint64_t kinds = 0;
  std::uint32_t places = 0, stacks = 0;
  bool synthetic = false;
  for (const Event& event : events) {
    const unsigned kind = static_cast<unsigned>(event.kind) & kKindMask;
    kinds |= std::uint64_t{1} << kind;
    unsigned op = kind;
    if (event.thread != last_thread) {
      op |= kThreadChanges;
      last_thread = event.thread;
      const std::uint32_t slot = slot_of(last_thread);
      store_little(change_to, static_cast<std::uint16_t>(slot));
      change_to += kChangeBytes;
      last_model = &model.threads[slot];
    }
    ThreadModel& thread = *last_model;

    unsigned control = 0;
    const std::uint32_t place = event.place.value + 1;
    std::uint32_t& next_place = model.next_places[Model::entry(thread.place, kind)];
    if (next_place != place) {
      const std::uint32_t coded = zigzag(place - thread.place);
      const unsigned code = 1U + (coded >= 0x100 ? 1U : 0U) + (coded >= 0x10000 ? 1U : 0U);
      control = code << kPlaceAt;
      store_little(place_to, coded);
      place_to += kPlaceLengths[code];
      next_place = place;
      places = std::max(places, place);
    }
    thread.place = place;

    const WidthCode& width = kWidthCodes[std::min<std::size_t>(event.width, kOtherWidth)];
    const std::uint64_t target = event.target;
    unsigned widest = width.shift;
    if (is_synthetic(target)) {
      widest = kWidestShift;
      synthetic = true;
    }
    const unsigned context = Model::entry(place, kind);
    std::uint64_t& context_target = model.targets[context];
    std::uint64_t& thread_target = thread.targets[kSpaces[kind]];
    if (context_target == target) {
      control |= kBaseIsContext | shift_code_of(widest) << kShiftAt;
    } else {
      const std::uint64_t from_context = zigzag(target - context_target);
      const std::uint64_t from_thread = zigzag(target - thread_target);
      const bool take_thread = is_shorter(from_thread, from_context);
      const std::uint64_t difference = take_thread ? from_thread : from_context;
      const unsigned shift_code = shift_code_of(std::min(widest, spare_bits(difference)));
      const std::uint64_t coded = difference >> (shift_code + (shift_code != 0 ? 1U : 0U));
      const unsigned bytes = highest_bit(coded) / 8 + (coded != 0 ? 1U : 0U);
      const unsigned length_code = std::min(bytes, 7U);
      store_little(target_to, coded);
      target_to += length_code + (length_code + 1) / 8;
      control |= (take_thread ? 0 : kBaseIsContext) | shift_code << kShiftAt | length_code;
      context_target = target;
    }
    thread_target = target;
    *control_to++ = static_cast<unsigned char>(control);

    const unsigned shape = width.shape | order_and_value(event);
    if (((shape ^ model.shapes[context]) | event.value) != 0) {
      Shape& seen = model.shapes[context];
      const Shape expected = seen == kNoShape ? model.kind_shapes[kind] : seen;
      seen = static_cast<Shape>(shape);
      if (shape != expected || event.value != 0) {
        op |= kHasExtras;
        *extra_to++ =
            static_cast<unsigned char>((event.has_value ? kExtraHasValue : 0) |
                                       (event.value != 0 ? kExtraValue : 0) | seen << kExtraShapeAt);
        if ((shape & kAlwaysWritten) != 0) extra_to = put_varint(extra_to, event.width);
        if (event.value != 0) extra_to = put_varint(extra_to, event.value);
        model.kind_shapes[kind] = seen;
      }
    }
    *op_to++ = static_cast<unsigned char>(op);

    Surroundings& around = kRetroAccesses.has(event.kind) ? retro_ : thread.surroundings;
    const std::uint32_t coded_ordinal = zigzag(event.ordinal - around.ordinal);
    around.ordinal = event.ordinal;
    if (coded_ordinal < 0x80)
      *ordinal_to++ = static_cast<unsigned char>(coded_ordinal);
    else
      ordinal_to = put_varint(ordinal_to, coded_ordinal);
    const std::uint32_t stack = event.stack.value + 1;
    if (stack != around.stack) {
      const auto at = count_ + static_cast<std::size_t>(&event - events.data());
      stack_to = put_varint(stack_to, at - after_stack_);
      stack_to = put_varint(stack_to, zigzag(stack - around.stack));
      around.stack = stack;
      stacks = std::max(stacks, stack);
      after_stack_ = at + 1;
    }
  }
  named_.places = std::max(named_.places, places);
  named_.stacks = std::max(named_.stacks, stacks);
  named_.others |= synthetic || (kinds & ~kNameless.bits) != 0;
  last_thread_ = last_thread;
  count_ += events.size();
  ops_.end(op_to);
  controls_.end(control_to);
  changes_.end(change_to);
  places_.end(place_to);
  targets_.end(target_to);
  extras_.end(extra_to);
  ordinals_.end(ordinal_to);
  stacks_.end(stack_to);
}

void EventEncoder::finish(Bytes& payload) {
  // All differences are zero exactly if all ordinals are.
  const ByteSpan ordinals(ordinals_.bytes.data(), ordinals_.used);
  if (std::ranges::all_of(ordinals, [](unsigned char byte) { return byte == 0; })) ordinals_.used = 0;
  payload.clear();
  for (const std::size_t number : {threads_.size(), changes_.used / kChangeBytes, places_.used, targets_.used,
                                   extras_.used, ordinals_.used, stacks_.used}) {
    append_little(payload, static_cast<std::uint32_t>(number));
  }
  for (const std::uint32_t id : threads_) append_little(payload, id);
  const bool small = threads_.size() <= kSmallThreads;
  for (std::size_t at = 0; at < changes_.used; ++at)
    if (!small || at % kChangeBytes == 0) payload.push_back(changes_.bytes[at]);
  for (Column* const column : {&ops_, &controls_, &places_, &targets_, &extras_, &ordinals_, &stacks_}) {
    const ByteSpan used(column->bytes.data(), column->used);
    payload.insert(payload.end(), used.begin(), used.end());
    column->used = 0;
  }

  model_->reset(0);
  for (const std::uint32_t thread : threads_) slots_[thread] = 0;
  threads_.clear();
  retro_ = {};
  changes_.used = 0;
  last_thread_ = {};
  count_ = after_stack_ = 0;
}

}  // namespace ravel::rvl

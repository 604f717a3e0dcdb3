#include <algorithm>
#include <bit>

#include "event/check.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"
#include "trace/rvl_model.h"

namespace ravel::rvl {
namespace {

// What a trace does next is what a processor's branch prediction cannot know: the code of places and targets
// is chosen by arithmetic.

constexpr std::array<std::uint8_t, 5> kShiftOfZeros = {0, 0, 1, 2, 3};  ///< by zero bits at the end
static_assert(kShifts == std::array<std::uint8_t, 4>{0, 2, 3, 4});

constexpr std::array<std::uint8_t, 65> kLengthOfBits = [] {
  std::array<std::uint8_t, 65> codes{};
  for (unsigned bits = 0; bits < codes.size(); ++bits)
    while (8 * kTargetLengths[codes[bits]] < bits) ++codes[bits];
  return codes;
}();

/// Whether it needs fewer bytes. A guess for numbers of 64 bits.
bool is_shorter(std::uint64_t a, std::uint64_t b) {
  const auto bits = [](std::uint64_t number) {
    return 63U - static_cast<unsigned>(std::countl_zero(2 * number + 1));
  };
  return bits(a) + 7 < ((bits(b) + 7) & ~7U);
}

/// The shift that leaves no bit of a zigzag difference out: bits that alignment makes zero are all alike at
/// its end.
unsigned shift_of(std::uint64_t coded) {
  return kShiftOfZeros[static_cast<unsigned>(std::countr_zero((coded ^ coded >> 1) | 0x10))];
}

/// The shift follows the width, not the luck of one difference, so that the control bytes of one place are
/// alike.
unsigned widest_shift(std::uint64_t target, std::uint32_t width) {
  return is_synthetic(target) ? 3 : (width >= 8 ? 1U : 0U) + (width >= 4 ? 1U : 0U);
}

constexpr std::array<Shape, kWidths.back() + 1> kShapeOfWidth = [] {
  std::array<Shape, kWidths.back() + 1> shapes{};
  shapes.fill(kWidthFollows);
  for (std::size_t code = 0; code < kWidths.size(); ++code) shapes[kWidths[code]] = static_cast<Shape>(code);
  return shapes;
}();

Shape shape_of(const Event& event) {
  const unsigned code = event.width < kShapeOfWidth.size() ? kShapeOfWidth[event.width] : kWidthFollows;
  return static_cast<Shape>(code | static_cast<unsigned>(event.order) << kShapeOrderAt);
}

constexpr std::array<std::uint8_t, 64> kSpaces = [] {
  std::array<std::uint8_t, 64> spaces{};
  for (const EventKind kind : kEventKinds)
    spaces[static_cast<std::size_t>(kind)] = static_cast<std::uint8_t>(target_space(kind));
  return spaces;
}();

unsigned char* put_varint(unsigned char* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<unsigned char>(value | 0x80);
  *to++ = static_cast<unsigned char>(value);
  return to;
}

// The longest entry of each column, and the bytes that a store of a whole word may write beyond it.
constexpr std::size_t kMaxPlace = 4, kMaxTarget = 8, kMaxExtras = 1 + 5 + kMaxVarintBytes, kMaxOrdinal = 5,
                      kMaxStack = 3 + 5, kOverrun = 8;
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
  if (thread.index() >= slots_.size()) slots_.resize(thread.index() + 1, 0);
  std::uint32_t& slot = slots_[thread.index()];
  if (slot == 0) {
    threads_.push_back(thread.value);
    model_->threads.emplace_back().id = thread;
    surroundings_.emplace_back();
    slot = static_cast<std::uint32_t>(threads_.size());
  }
  return slot - 1;
}

void EventEncoder::add(std::span<const Event> events) {
  CHECK(count_ + events.size() <= kMaxBlockEvents);
  while (!events.empty()) {
    const auto strip = events.first(std::min(events.size(), kStrip));
    put_steps(strip);
    put_shapes(strip);
    put_surroundings(strip);
    count_ += strip.size();
    events = events.subspan(strip.size());
  }
}

/// Threads, kinds, places and targets.
void EventEncoder::put_steps(std::span<const Event> events) {
  Model& model = *model_;
  unsigned char* op_to = ops_.reserve(events.size());
  unsigned char* control_to = controls_.reserve(events.size());
  unsigned char* place_to = places_.reserve(events.size() * kMaxPlace);
  unsigned char* target_to = targets_.reserve(events.size() * kMaxTarget);
  ThreadModel* thread = count_ > 0 ? &model.threads[slot_] : nullptr;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const unsigned kind = static_cast<unsigned>(event.kind) & kKindMask;
    unsigned op = kind;
    if (thread == nullptr || event.thread != thread->id) {
      op |= kThreadChanges;
      slot_ = slot_of(event.thread);
      changes_.push_back(static_cast<std::uint16_t>(slot_));
      thread = &model.threads[slot_];
    }
    op_to[i] = static_cast<unsigned char>(op);
    strip_slots_[i] = static_cast<std::uint16_t>(slot_);

    const std::uint32_t place = event.place.value + 1;
    const unsigned context = Model::entry(place, kind);
    strip_contexts_[i] = static_cast<std::uint16_t>(context);
    std::uint32_t& next_place = model.next_places[Model::entry(thread->place, kind)];
    const std::uint32_t coded_place = zigzag(place - thread->place);
    const unsigned moved_code = 1U + (coded_place >= 0x100 ? 1U : 0U) + (coded_place >= 0x10000 ? 1U : 0U);
    const unsigned place_code = place == next_place ? 0 : moved_code;
    next_place = thread->place = place;
    store_little(place_to, coded_place);
    place_to += kPlaceLengths[place_code];

    const std::uint64_t target = event.target;
    std::uint64_t& context_target = model.targets[context];
    std::uint64_t& thread_target = thread->targets[kSpaces[kind]];
    const std::uint64_t from_context = zigzag(target - context_target);
    const std::uint64_t from_thread = zigzag(target - thread_target);
    context_target = thread_target = target;
    const bool take_thread = is_shorter(from_thread, from_context);
    const std::uint64_t difference = take_thread ? from_thread : from_context;
    const unsigned shift = std::min(widest_shift(target, event.width), shift_of(difference));
    const std::uint64_t coded = difference >> kShifts[shift];
    const unsigned length = kLengthOfBits[static_cast<unsigned>(std::bit_width(coded))];
    store_little(target_to, coded);
    target_to += kTargetLengths[length];
    control_to[i] = static_cast<unsigned char>(place_code << kPlaceAt | (take_thread ? 0 : kBaseIsContext) |
                                               shift << kShiftAt | length);
  }
  ops_.used += events.size();
  controls_.used += events.size();
  places_.end(place_to);
  targets_.end(target_to);
}

/// Widths, memory orders and values.
void EventEncoder::put_shapes(std::span<const Event> events) {
  Model& model = *model_;
  unsigned char* const ops = ops_.bytes.data() + count_;
  unsigned char* extra_to = extras_.reserve(events.size() * kMaxExtras);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const Shape shape = shape_of(event);
    const unsigned kind = static_cast<unsigned>(event.kind) & kKindMask;
    Shape& seen = model.shapes[strip_contexts_[i]];
    const Shape expected = seen == kNoShape ? model.kind_shapes[kind] : seen;
    seen = shape;
    const bool width_follows = (shape & kWidthMask) == kWidthFollows;
    if (shape == expected && !width_follows && !event.has_value && event.value == 0) continue;
    ops[i] |= kHasExtras;
    *extra_to++ = static_cast<unsigned char>((event.has_value ? kExtraHasValue : 0) |
                                             (event.value != 0 ? kExtraValue : 0) | shape << kExtraShapeAt);
    if (width_follows) extra_to = put_varint(extra_to, event.width);
    if (event.value != 0) extra_to = put_varint(extra_to, event.value);
    model.kind_shapes[kind] = shape;
  }
  extras_.end(extra_to);
}

/// Ordinals and call stacks.
void EventEncoder::put_surroundings(std::span<const Event> events) {
  unsigned char* ordinal_to = ordinals_.reserve(events.size() * kMaxOrdinal);
  unsigned char* stack_to = stacks_.reserve(events.size() * kMaxStack);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    const std::uint32_t ordinal = event.ordinal;
    const std::uint32_t stack = event.stack.value + 1;
    Surroundings& last = kRetroAccesses.has(event.kind) ? retro_ : surroundings_[strip_slots_[i]];
    const std::uint32_t coded = zigzag(ordinal - last.ordinal);
    last.ordinal = ordinal;
    if (coded < 0x80)
      *ordinal_to++ = static_cast<unsigned char>(coded);
    else
      ordinal_to = put_varint(ordinal_to, coded);
    if (stack == last.stack) continue;
    stack_to = put_varint(stack_to, count_ + i - after_stack_);
    stack_to = put_varint(stack_to, zigzag(stack - last.stack));
    last.stack = stack;
    after_stack_ = count_ + i + 1;
  }
  ordinals_.end(ordinal_to);
  stacks_.end(stack_to);
}

void EventEncoder::finish(Bytes& payload) {
  // All differences are zero exactly if all ordinals are.
  const ByteSpan ordinals(ordinals_.bytes.data(), ordinals_.used);
  if (std::ranges::all_of(ordinals, [](unsigned char byte) { return byte == 0; })) ordinals_.used = 0;
  payload.clear();
  for (const std::size_t number : {threads_.size(), changes_.size(), places_.used, targets_.used,
                                   extras_.used, ordinals_.used, stacks_.used}) {
    append_little(payload, static_cast<std::uint32_t>(number));
  }
  for (const std::uint32_t id : threads_) append_little(payload, id);
  for (const std::uint16_t slot : changes_) {
    if (threads_.size() <= kSmallThreads)
      payload.push_back(static_cast<unsigned char>(slot));
    else
      append_little(payload, slot);
  }
  for (Column* const column : {&ops_, &controls_, &places_, &targets_, &extras_, &ordinals_, &stacks_}) {
    const ByteSpan used(column->bytes.data(), column->used);
    payload.insert(payload.end(), used.begin(), used.end());
    column->used = 0;
  }

  model_->reset(0);
  for (const std::uint32_t thread : threads_) slots_[thread] = 0;
  threads_.clear();
  surroundings_.clear();
  retro_ = {};
  changes_.clear();
  count_ = after_stack_ = 0;
}

}  // namespace ravel::rvl

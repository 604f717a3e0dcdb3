#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "event/check.h"
#include "trace/rvl_events.h"
#include "trace/rvl_limits.h"
#include "trace/rvl_model.h"

namespace ravel::rvl {
namespace {

constexpr std::uint64_t low_bytes_mask(unsigned bytes) {
  return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

/// How a control byte reads, looked up once for target and place together. Masks instead of flags: what a
/// trace does next is what a processor's branch prediction cannot know.
struct Control {
  std::uint64_t target_mask;
  std::uint64_t context_mask;  ///< all ones: the target's difference is to the context's last target
  std::uint32_t place_mask;
  std::uint32_t
      moved_mask;  ///< all ones: the place's difference is to the thread's last place, else to the prediction
  std::uint8_t target_length, place_length, shift;
};
constexpr std::array<Control, 256> kControls = [] {
  std::array<Control, 256> controls{};
  for (unsigned i = 0; i < 256; ++i) {
    const std::uint8_t target_length = kTargetLengths[i & kTargetLengthMask];
    const std::uint8_t place_length = kPlaceLengths[i >> kPlaceAt];
    controls[i] = {.target_mask = low_bytes_mask(target_length),
                   .context_mask = (i & kBaseIsContext) != 0 ? ~std::uint64_t{0} : 0,
                   .place_mask = static_cast<std::uint32_t>(low_bytes_mask(place_length)),
                   .moved_mask = place_length != 0 ? ~std::uint32_t{0} : 0,
                   .target_length = target_length,
                   .place_length = place_length,
                   .shift = kShifts[(i >> kShiftAt) & 3]};
  }
  return controls;
}();

template <typename T>
T select(T mask, T if_ones, T if_zeros) {
  return if_zeros ^ ((if_ones ^ if_zeros) & mask);
}

struct Columns {
  std::span<const unsigned char> threads, changes, ops, controls, places, targets, extras, ordinals, stacks;
};

std::unexpected<std::string> inconsistent() {
  return std::unexpected<std::string>("its columns do not fit together");
}

std::size_t count_changes(std::span<const unsigned char> ops) {
  constexpr std::uint64_t kEightOnes = 0x0101'0101'0101'0101;
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 8 <= ops.size(); i += 8) {  // one flag a byte; the product's top byte is their sum
    count += (load_little<std::uint64_t>(&ops[i]) / kThreadChanges & kEightOnes) * kEightOnes >> 56;
  }
  for (; i < ops.size(); ++i) count += (ops[i] & kThreadChanges) != 0 ? 1 : 0;
  return count;
}

std::expected<Columns, std::string> split_columns(ByteSpan payload, std::uint32_t count, PayloadHead& head) {
  if (payload.size() < kPayloadHeadBytes) return inconsistent();
  std::memcpy(&head, payload.data(), kPayloadHeadBytes);
  if (head.threads == 0 || head.threads > head.changes || head.changes > count) return inconsistent();
  const std::size_t slot_bytes = head.threads <= kSmallThreads ? 1 : 2;
  ByteCursor cursor(payload.subspan(kPayloadHeadBytes));
  Columns columns;
  columns.threads = cursor.take(std::uint64_t{head.threads} * 4);
  columns.changes = cursor.take(std::uint64_t{head.changes} * slot_bytes);
  columns.ops = cursor.take(count);
  columns.controls = cursor.take(count);
  columns.places = cursor.take(head.places);
  columns.targets = cursor.take(head.targets);
  columns.extras = cursor.take(head.extras);
  columns.ordinals = cursor.take(head.ordinals);
  columns.stacks = cursor.take(head.stacks);
  if (!cursor.ok() || cursor.left() != 0) return inconsistent();
  if (count_changes(columns.ops) != head.changes || (columns.ops[0] & kThreadChanges) == 0)
    return inconsistent();
  return columns;
}

// Pairs of an Event's fields are written as one word each: stores are what the loop below has most of.
static_assert(std::is_trivially_copyable_v<Event> && offsetof(Event, kind) == 0 &&
              offsetof(Event, order) == 1 && offsetof(Event, thread) == 4 &&
              offsetof(Event, width) == offsetof(Event, place) + 4 &&
              offsetof(Event, stack) == offsetof(Event, ordinal) + 4);
void store_first_word(Event& event, unsigned kind, Shape shape, ThreadId thread) {
  const std::uint64_t word = kind | (shape >> kShapeOrderAt) << 8 | std::uint64_t{thread.value} << 32;
  std::memcpy(static_cast<void*>(&event), &word, sizeof(word));
}
void store_place_word(Event& event, std::uint32_t place, std::uint32_t width) {
  const std::uint64_t word = place | std::uint64_t{width} << 32;
  std::memcpy(static_cast<void*>(&event.place), &word, sizeof(word));
}
void store_no_context(Event& event) {
  constexpr std::uint64_t kWord = std::uint64_t{StackId::kNone} << 32;
  std::memcpy(static_cast<void*>(&event.ordinal), &kWord, sizeof(kWord));
}

constexpr std::array<std::uint32_t, 8> kWidthOfCode = [] {
  std::array<std::uint32_t, 8> widths{};
  std::ranges::copy(kWidths, widths.begin());
  return widths;
}();

/// Reads the extras of one event: cold unless the trace has values. False: they are malformed.
bool read_extras(ByteCursor& extras, Shape& shape, Event& event) {
  const ByteSpan first = extras.take(1);
  if (first.empty()) return false;
  const unsigned byte = first[0];
  shape = static_cast<Shape>(byte >> kExtraShapeAt);
  const unsigned order = shape >> kShapeOrderAt;
  const unsigned width = shape & kWidthMask;
  if (order >= kOrderCount || width > kWidthFollows) return false;
  event.order = static_cast<MemoryOrder>(order);
  event.has_value = (byte & kExtraHasValue) != 0;
  const std::uint64_t bytes = width == kWidthFollows ? extras.varint() : kWidths[width];
  event.width = static_cast<std::uint32_t>(bytes);
  event.value = (byte & kExtraValue) != 0 ? extras.varint() : 0;
  return extras.ok() && bytes <= 0xffff'ffff;
}

/// What decode_columns found; details are looked for only where something is wrong.
enum class Outcome : std::uint8_t { Good, Inconsistent, Suspect };

/// Events between two looks at the ends of the columns; kDecoderSlack is what they can overrun them by.
constexpr std::size_t kStride = 64;
static_assert(kDecoderSlack >= kStride * 8 + 8);

template <typename Slot>
Outcome decode_columns(const Columns& columns, std::uint64_t position, const Tables& tables, Model& model,
                       Event* out) {
  const KindLimits limits = kind_limits(tables);
  const auto place_count = static_cast<std::uint32_t>(tables.places.size());
  const unsigned char* change = columns.changes.data() - sizeof(Slot);
  const unsigned char* place_from = columns.places.data();
  const unsigned char* const place_end = place_from + columns.places.size();
  const unsigned char* target_from = columns.targets.data();
  const unsigned char* const target_end = target_from + columns.targets.size();
  ThreadModel* const threads = model.threads.data();
  ByteCursor extras(columns.extras);
  bool suspect = false;
  ThreadModel* thread = threads;  // the first event changes it
  // thread->place, in a register: each event has to wait for the place of the one before.
  std::uint32_t last_place = 0;

  const std::size_t count = columns.ops.size();
  for (std::size_t begin = 0; begin < count; begin += kStride) {
    const std::size_t end = std::min(begin + kStride, count);
    for (std::size_t i = begin; i < end; ++i, ++out) {
      const unsigned op = columns.ops[i];
      const unsigned kind = op & kKindMask;
      const Control& control = kControls[columns.controls[i]];
      const KindLimit& limit = limits[kind];
      if ((op & kThreadChanges) != 0) {
        change += sizeof(Slot);
        thread->place = last_place;
        thread = &threads[load_little<Slot>(change)];
        last_place = thread->place;
      }

      std::uint32_t& next_place = model.next_places[Model::entry(last_place, kind)];
      const std::uint32_t place = select(control.moved_mask, last_place, next_place) +
                                  unzigzag(load_little<std::uint32_t>(place_from) & control.place_mask);
      next_place = last_place = place;
      place_from += control.place_length;

      const unsigned context = Model::entry(place, kind);
      std::uint64_t& last_target = thread->targets[limit.space];
      const std::uint64_t target =
          select(control.context_mask, model.targets[context], last_target) +
          (unzigzag(load_little<std::uint64_t>(target_from) & control.target_mask) << control.shift);
      model.targets[context] = last_target = target;
      target_from += control.target_length;
      suspect |= (place > place_count) | ((target ^ limit.flip) >= limit.limit);

      const Shape seen = model.shapes[context];
      Shape shape = seen == kNoShape ? model.kind_shapes[kind] : seen;
      store_first_word(*out, kind, shape, thread->id);
      out->target = target;
      out->value = 0;
      out->position = position + i;
      store_place_word(*out, place - 1, kWidthOfCode[shape & kWidthMask]);
      store_no_context(*out);
      if ((op & kHasExtras) != 0) {
        if (!read_extras(extras, shape, *out)) [[unlikely]]
          return Outcome::Inconsistent;
        model.kind_shapes[kind] = shape;
        suspect |= out->kind == EventKind::ObjectBegin;  // its value is an id, too
      }
      model.shapes[context] = shape;
    }
    if (place_from > place_end || target_from > target_end) [[unlikely]]
      return Outcome::Inconsistent;
  }
  if (place_from != place_end || target_from != target_end || extras.left() != 0)
    return Outcome::Inconsistent;
  return suspect ? Outcome::Suspect : Outcome::Good;
}

template <typename Slot>
bool slots_in_range(ByteSpan changes, std::size_t threads) {
  bool good = true;
  for (std::size_t i = 0; i < changes.size(); i += sizeof(Slot))
    good &= load_little<Slot>(&changes[i]) < threads;
  return good;
}

}  // namespace

EventDecoder::EventDecoder() : model_(std::make_unique<Model>()) {}
EventDecoder::~EventDecoder() = default;
EventDecoder::EventDecoder(EventDecoder&&) noexcept = default;

std::expected<void, std::string> EventDecoder::decode(ByteSpan payload, std::uint32_t count,
                                                      std::uint64_t first_position, const Tables& tables,
                                                      std::vector<Event>& events) {
  PayloadHead head{};
  const auto columns = split_columns(payload, count, head);
  if (!columns) return std::unexpected(columns.error());
  const bool small = head.threads <= kSmallThreads;
  if (small ? !slots_in_range<std::uint8_t>(columns->changes, head.threads)
            : !slots_in_range<std::uint16_t>(columns->changes, head.threads)) {
    return inconsistent();
  }
  model_->reset(head.threads);
  for (std::size_t i = 0; i < head.threads; ++i) {
    const auto id = load_little<std::uint32_t>(&columns->threads[i * 4]);
    if (id >= tables.threads.size())
      return std::unexpected(fmt::format("it has events of thread {}, which has no name", id));
    model_->threads[i].id = ThreadId(id);
  }

  events.resize(count);
  const Outcome outcome =
      small ? decode_columns<std::uint8_t>(*columns, first_position, tables, *model_, events.data())
            : decode_columns<std::uint16_t>(*columns, first_position, tables, *model_, events.data());
  if (outcome == Outcome::Inconsistent || !contexts_.decode(columns->ordinals, columns->stacks, events))
    return inconsistent();
  if (outcome == Outcome::Good && columns->stacks.empty()) return {};
  for (const Event& event : events) {
    if (const std::string name = unknown_name(event, tables); !name.empty()) {
      return std::unexpected(fmt::format("event {} refers to {}, which has no name", event.position, name));
    }
  }
  return {};
}

}  // namespace ravel::rvl

#include <fmt/format.h>

#include <algorithm>

#include "event/check.h"
#include "trace/rvl_events.h"
#include "trace/rvl_model.h"

namespace ravel::rvl {
namespace {

constexpr std::uint64_t low_bytes_mask(unsigned bytes) {
  return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

/// How a control byte reads, looked up once for target and place together.
struct Control {
  std::uint64_t target_mask;
  std::uint32_t place_mask;
  std::uint8_t target_length, place_length, shift;
};
constexpr std::array<Control, 256> kControls = [] {
  std::array<Control, 256> controls{};
  for (unsigned i = 0; i < 256; ++i) {
    const std::uint8_t target_length = kTargetLengths[i & kTargetLengthMask];
    const std::uint8_t place_length = kPlaceLengths[i >> kPlaceAt];
    controls[i] = {low_bytes_mask(target_length), static_cast<std::uint32_t>(low_bytes_mask(place_length)),
                   target_length, place_length, kShifts[(i >> kShiftAt) & 3]};
  }
  return controls;
}();

/// The targets of one kind that surely have a name, or need none: those with (target - base) < limit, and if
/// `any_address` also all that are not synthetic.
struct KindLimit {
  std::uint64_t base = 0;
  std::uint64_t limit = 0;
  std::uint8_t space = static_cast<std::uint8_t>(TargetSpace::None);
  bool any_address = false;
  bool any = false;
};

std::array<KindLimit, 64> kind_limits(const Tables& tables) {
  std::array<KindLimit, 64> limits{};
  for (int i = 0; i < kEventKindCount; ++i) {
    const TargetSpace space = target_space(static_cast<EventKind>(i));
    KindLimit& limit = limits[static_cast<std::size_t>(i)];
    limit.space = static_cast<std::uint8_t>(space);
    switch (space) {
      case TargetSpace::Variable:
      case TargetSpace::Lock:
      case TargetSpace::Condition:
      case TargetSpace::Barrier:
        limit.any_address = true;
        limit.base = synthetic_address(space, 0);
        limit.limit = std::uint64_t{tables.names(space).size()} << 4;
        break;
      case TargetSpace::Thread:
      case TargetSpace::Unit:
        limit.limit = tables.names(space).size();
        break;
      case TargetSpace::Range:
      case TargetSpace::None:
        limit.any = true;
        break;
    }
  }
  return limits;
}

struct Columns {
  std::span<const unsigned char> threads, changes, ops, controls, places, targets, extras;
};

std::unexpected<std::string> inconsistent() {
  return std::unexpected<std::string>("its columns do not fit together");
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
  if (!cursor.ok() || cursor.left() != 0) return inconsistent();
  const auto changes = std::count_if(columns.ops.begin(), columns.ops.end(),
                                     [](unsigned char op) { return (op & kThreadChanges) != 0; });
  if (static_cast<std::uint32_t>(changes) != head.changes || (columns.ops[0] & kThreadChanges) == 0) {
    return inconsistent();
  }
  return columns;
}

/// Reads the extras of one event: cold unless the trace has values.
bool read_extras(ByteCursor& extras, Event& event) {
  const ByteSpan first = extras.take(1);
  if (first.empty()) return false;
  const unsigned byte = first[0];
  const unsigned order = (byte >> kExtraOrderAt) & 7;
  const unsigned width = byte >> kExtraWidthAt;
  if (order >= kOrderCount || width > kWidthFollows) return false;
  event.order = static_cast<MemoryOrder>(order);
  event.has_value = (byte & kExtraHasValue) != 0;
  const std::uint64_t bytes = width == kWidthFollows ? extras.varint() : kWidths[width];
  event.width = static_cast<std::uint32_t>(bytes);
  event.value = (byte & kExtraValue) != 0 ? extras.varint() : 0;
  return extras.ok() && bytes <= 0xffff'ffff;
}

/// What decode_columns found wrong; the details are looked for only then.
enum class Outcome : std::uint8_t { Good, Inconsistent, UnknownNames };

template <typename Slot>
Outcome decode_columns(const Columns& columns, std::uint64_t position, std::uint32_t place_count,
                       const std::array<KindLimit, 64>& limits, Model& model, std::vector<Event>& events) {
  const unsigned char* change = columns.changes.data() - sizeof(Slot);
  const unsigned char* place_from = columns.places.data();
  const unsigned char* const place_end = place_from + columns.places.size();
  const unsigned char* target_from = columns.targets.data();
  const unsigned char* const target_end = target_from + columns.targets.size();
  ByteCursor extras(columns.extras);
  unsigned unknown = 0;

  const std::size_t count = columns.ops.size();
  Event* out = events.data();
  for (std::size_t i = 0; i < count; ++i, ++out) {
    const unsigned op = columns.ops[i];
    const unsigned kind = op & kKindMask;
    const Control& control = kControls[columns.controls[i]];
    const KindLimit& limit = limits[kind];
    // No branch here: threads take turns in no pattern that a processor could learn.
    change += (op & kThreadChanges) != 0 ? sizeof(Slot) : 0;
    const std::size_t slot = load_little<Slot>(change);
    ThreadModel& thread = model.threads[slot];

    std::uint32_t& next_place = model.next_place[Model::slot(thread.place, kind)];
    const std::uint32_t moved =
        thread.place + unzigzag(load_little<std::uint32_t>(place_from) & control.place_mask);
    const std::uint32_t place = control.place_length != 0 ? moved : next_place;
    next_place = thread.place = place;
    place_from += control.place_length;

    Context& context = model.contexts[Model::slot(place, kind)];
    std::uint64_t& last_target = thread.targets[limit.space];
    const std::uint64_t base = (columns.controls[i] & kBaseIsContext) != 0 ? context.target : last_target;
    const std::uint64_t target =
        base + (unzigzag(load_little<std::uint64_t>(target_from) & control.target_mask) << control.shift);
    context.target = last_target = target;
    target_from += control.target_length;
    if (place_from > place_end || target_from > target_end) [[unlikely]]
      return Outcome::Inconsistent;

    Shape& kind_shape = model.kind_shapes[kind];
    Shape shape = context.shape == kNoShape ? kind_shape : context.shape;
    out->kind = static_cast<EventKind>(kind);
    out->has_value = false;
    out->reserved = 0;
    out->thread = model.threads[slot].id;
    out->target = target;
    out->value = 0;
    out->position = position + i;
    out->place = PlaceId(place - 1);
    if ((op & kHasExtras) != 0) {
      if (!read_extras(extras, *out)) [[unlikely]]
        return Outcome::Inconsistent;
      shape = shape_of(out->width, out->order);
    } else {
      out->order = static_cast<MemoryOrder>(shape >> 32);
      out->width = static_cast<std::uint32_t>(shape);
    }
    context.shape = kind_shape = shape;

    unknown |=
        static_cast<unsigned>(place > place_count) |
        (static_cast<unsigned>(target - limit.base >= limit.limit) & static_cast<unsigned>(!limit.any) &
         static_cast<unsigned>(!limit.any_address | is_synthetic(target))) |
        static_cast<unsigned>(kind >= kEventKindCount) |
        static_cast<unsigned>(kind == static_cast<unsigned>(EventKind::ObjectBegin));
  }
  if (place_from != place_end || target_from != target_end || extras.left() != 0)
    return Outcome::Inconsistent;
  return unknown != 0 ? Outcome::UnknownNames : Outcome::Good;
}

template <typename Slot>
bool slots_in_range(ByteSpan changes, std::size_t threads) {
  bool good = true;
  for (std::size_t i = 0; i < changes.size(); i += sizeof(Slot))
    good &= load_little<Slot>(&changes[i]) < threads;
  return good;
}

}  // namespace

std::string unknown_name(const Event& event, const Tables& tables) {
  if (static_cast<int>(event.kind) >= kEventKindCount) {
    return fmt::format("event kind {}", static_cast<int>(event.kind));
  }
  if (event.thread.index() >= tables.threads.size()) return fmt::format("thread {}", event.thread.value);
  if (event.place.valid() && event.place.index() >= tables.places.size()) {
    return fmt::format("place {}", event.place.value);
  }
  const auto unknown_unit = [&](std::uint64_t unit) {
    return unit >= tables.units.size() && unit != UnitId::kNone;
  };
  if (event.kind == EventKind::ObjectBegin && event.has_value && unknown_unit(event.value)) {
    return fmt::format("class {}", event.value);
  }
  const TargetSpace space = target_space(event.kind);
  switch (space) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier: {
      const std::uint64_t offset = event.target - synthetic_address(space, 0);
      const std::uint64_t limit = std::uint64_t{tables.names(space).size()} << 4;
      return is_synthetic(event.target) && offset >= limit ? fmt::format("address {:#x}", event.target) : "";
    }
    case TargetSpace::Thread:
      return event.target >= tables.threads.size() ? fmt::format("target thread {}", event.target) : "";
    case TargetSpace::Unit:
      return unknown_unit(event.target) ? fmt::format("unit {}", event.target) : "";
    case TargetSpace::Range:
    case TargetSpace::None:
      break;
  }
  return {};
}

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
  const auto place_count = static_cast<std::uint32_t>(tables.places.size());
  const auto limits = kind_limits(tables);
  const Outcome outcome =
      small ? decode_columns<std::uint8_t>(*columns, first_position, place_count, limits, *model_, events)
            : decode_columns<std::uint16_t>(*columns, first_position, place_count, limits, *model_, events);
  switch (outcome) {
    case Outcome::Good:
      return {};
    case Outcome::Inconsistent:
      return inconsistent();
    case Outcome::UnknownNames:
      break;
  }
  for (const Event& event : events) {
    if (const std::string name = unknown_name(event, tables); !name.empty()) {
      return std::unexpected(fmt::format("event {} refers to {}, which has no name", event.position, name));
    }
  }
  return {};
}

}  // namespace ravel::rvl

#include "trace/stream_decode.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

namespace ravel::stream {
namespace {

constexpr KindMask kResolverKinds = kVariableLifetime;
/// More than any process can address.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 48;
/// Larger blocks become several events. A multiple of every alignment that matters.
constexpr std::uint64_t kMaxWidth = std::uint64_t{1} << 31;

constexpr std::uint64_t kRetroTimeMask = (std::uint64_t{1} << kRetroThreadAt) - 1;

constexpr bool is_retro(EventKind kind) { return kRetroAccesses.has(kind); }

/// Kinds whose target is an address and whose records have nothing special: nearly all but the retroactive.
constexpr KindMask kQuickKinds = [] {
  KindMask kinds;
  for (const EventKind kind : kEventKinds) {
    const TargetSpace space = target_space(kind);
    if (!kResolverKinds.has(kind) && !is_retro(kind) &&
        (space == TargetSpace::Variable || space == TargetSpace::Lock || space == TargetSpace::Condition ||
         space == TargetSpace::Barrier))
      kinds = kinds | KindMask::of(kind);
  }
  return kinds;
}();

constexpr std::string_view kUnknownSite = "a retroactive access at an unknown site";

/// The width by a record's bits for order and width; kOther: one of them is special.
constexpr std::uint8_t kOther = 0xff;
constexpr unsigned kWidthsMask = 127;
constexpr std::array<std::uint8_t, kWidthsMask + 1> kWidths = [] {
  static_assert(Record::kWidthAt == Record::kOrderAt + 3 && Record::kExtraAt == Record::kWidthAt + 4);
  std::array<std::uint8_t, 128> widths{};
  for (unsigned i = 0; i < widths.size(); ++i) {
    const unsigned code = i >> 3;
    const bool known_order = (i & 7) <= static_cast<unsigned>(MemoryOrder::SeqCst);
    if (!known_order || code > Record::kWidthSixteen)
      widths[i] = kOther;
    else
      widths[i] = static_cast<std::uint8_t>(code == Record::kWidthSixteen ? 16 : code);
  }
  return widths;
}();

/// An event, in the words that its fields make together: half the stores.
void store_words(Event* to, std::uint64_t first, std::uint64_t target, std::uint64_t value,
                 std::uint64_t position, std::uint64_t place_and_width, std::uint64_t ordinal_and_stack) {
  static_assert(
      offsetof(Event, kind) == 0 && offsetof(Event, order) == 1 && offsetof(Event, has_value) == 2 &&
      offsetof(Event, reserved) == 3 && offsetof(Event, thread) == 4 && offsetof(Event, target) == 8 &&
      offsetof(Event, value) == 16 && offsetof(Event, position) == 24 && offsetof(Event, place) == 32 &&
      offsetof(Event, width) == 36 && offsetof(Event, ordinal) == 40 && offsetof(Event, stack) == 44);
  std::memcpy(static_cast<void*>(to), &first, sizeof(first));
  to->target = target;
  to->value = value;
  to->position = position;
  std::memcpy(static_cast<void*>(&to->place), &place_and_width, sizeof(place_and_width));
  std::memcpy(static_cast<void*>(&to->ordinal), &ordinal_and_stack, sizeof(ordinal_and_stack));
}

}  // namespace

RecordDecoder::Decoded RecordDecoder::decode(std::span<const Record> records, ThreadContext& context,
                                             EventSink& sink, std::size_t limit) {
  const Record* const begin = records.data();
  const Record* const end = begin + records.size();
  const Record* at = begin;
  if (times_.size() < tables_.threads.size()) times_.resize(tables_.threads.size(), 1);
  const auto decoded = [&](std::string_view wrong) {
    return Decoded{static_cast<std::size_t>(at - begin), wrong};
  };
  while (at < end && sink.size() < limit) {
    const std::span<Event> space =
        sink.reserve(std::min(static_cast<std::size_t>(end - at), limit - sink.size()));
    Event* const last = decode_quick(at, end, context, space);
    sink.used(last);
    if (last == space.data() + space.size() || at == end) continue;
    const bool extra = at->extra();
    if (extra && at + 1 == end) return decoded("records have vanished");
    const Record record = *at;
    const auto second = extra ? std::bit_cast<RecordExtra>(at[1]) : RecordExtra{};
    if (const auto wrong = decode_any(record, second, context, sink); !wrong.empty()) return decoded(wrong);
    at += extra ? 2 : 1;
  }
  return decoded({});
}

/// Decodes records as long as they have nothing special and there is space. Returns the end of the events;
/// `at` is then at the first record that was not decoded.
Event* RecordDecoder::decode_quick(const Record*& at, const Record* end, const ThreadContext& context,
                                   std::span<Event> space) {
  const auto threads = static_cast<std::uint64_t>(tables_.threads.size());
  const auto ordinal_base = static_cast<std::uint32_t>(context.ordinal_base);
  const std::uint64_t owner = std::uint64_t{context.thread.value} << 32;
  const std::uint64_t stack = std::uint64_t{context.stack.value} << 32;
  std::uint64_t& own_time = times_[context.thread.index()];
  std::uint64_t position = events_;
  Event* to = space.data();
  Event* const space_end = to + space.size();
  const Record* from = at;
  while (from < end && to < space_end) {
    const std::uint64_t head = from->head, body = from->body;  // the program may be at it: once is enough
    const Record record{head, body};
    const Record* const next = from + 1 + (head >> Record::kExtraAt & 1);
    const auto kind = static_cast<EventKind>(record.kind());
    const std::uint64_t width = kWidths[head >> Record::kOrderAt & kWidthsMask];
    if (width == kOther || is_synthetic(body) || next > end) break;
    std::uint64_t first = head & 0x3f;
    first |= (head >> Record::kOrderAt & 7) << 8;
    if (kQuickKinds.has(kind)) {
      if (record.has_value()) break;
      store_words(to, first | owner, body, 0, ++position, place(record.place()).value | width << 32,
                  (ordinal_base + record.ordinal()) | stack);
      own_time += kTimeSteps.bits >> record.kind() & 1;
    } else {
      if (!is_retro(kind) || !record.extra()) break;
      const std::uint64_t owner_and_time = from[1].body;  // RecordExtra::value
      const KnownSite* const known = site(head);
      if (owner_and_time >> kRetroThreadAt >= threads || known == nullptr) break;
      if ((owner_and_time & kRetroTimeMask) > times_[owner_and_time >> kRetroThreadAt]) break;
      store_words(to, first | 1U << 16 | owner_and_time >> kRetroThreadAt << 32, body,
                  owner_and_time & kRetroTimeMask, ++position,
                  known->place.value | (width + std::uint64_t{8} * record.ordinal()) << 32,
                  std::uint64_t{known->stack.value} << 32);
    }
    ++to;
    from = next;
  }
  events_ = position;
  at = from;
  return to;
}

std::string_view RecordDecoder::decode_any(const Record& record, const RecordExtra& extra,
                                           ThreadContext& context, EventSink& sink) {
  if (record.kind() >= static_cast<unsigned>(Control::Ordinal)) return control(record, context, sink);
  if (record.kind() >= kEventKindCount) return "a record of an unknown kind";

  Event event;
  event.kind = static_cast<EventKind>(record.kind());
  if (kResolverKinds.has(event.kind) || event.kind == EventKind::Elapse)
    return "a record of a kind that no program has";
  event.order = record.order();
  if (event.order > MemoryOrder::SeqCst) return "a record with an unknown memory order";
  event.thread = context.thread;
  event.target = record.body;
  event.has_value = record.has_value();
  if (event.has_value && !record.extra()) return "a record that lacks its value";
  event.value = event.has_value ? extra.value : 0;
  event.ordinal = static_cast<std::uint32_t>(context.ordinal_base + record.ordinal());
  event.stack = context.stack;
  if (is_retro(event.kind)) {
    if (const auto wrong = retro(record, extra, event); !wrong.empty()) return wrong;
  } else {
    event.place = place(record.place());
  }
  if (const auto wrong = check_target(event); !wrong.empty()) return wrong;
  if (is_retro(event.kind))
    if (const auto wrong = reach(event.thread.value, event.value, sink); !wrong.empty()) return wrong;
  if (event.kind == EventKind::After) {
    if (!event.has_value || event.value == 0) return "a record that lacks its time";
    // That time has ended.
    if (const auto wrong = reach(event.target, event.value + 1, sink); !wrong.empty()) return wrong;
  }
  if (kTimeSteps.has(event.kind)) ++times_[event.thread.index()];

  const unsigned code = record.width_code();
  std::uint64_t width = code;
  if (code == Record::kWidthSixteen) {
    width = 16;
  } else if (code == Record::kWidthInExtra) {
    if (!record.extra() || event.has_value) return "a record that lacks its width";
    width = extra.value;
    if (width > kMaxBytes) return "a block of memory that is larger than memory";
  } else if (code > Record::kWidthSixteen) {
    return "a record of an unknown width";
  }
  if (is_retro(event.kind)) width += std::uint64_t{8} * record.ordinal();
  add_ranges(event, width, sink);
  return {};
}

/// A thread's synchronization may have no records.
std::string_view RecordDecoder::reach(std::uint64_t thread, std::uint64_t time, EventSink& sink) {
  constexpr std::uint64_t kMaxTime = std::numeric_limits<std::uint32_t>::max() / 4;
  if (time <= times_[thread]) return {};
  if (time > kMaxTime) return "a local time that no thread reaches";
  Event& event = sink.add();
  event = {};
  event.kind = EventKind::Elapse;
  event.thread = ThreadId(static_cast<std::uint32_t>(thread));
  event.has_value = true;
  event.value = time - times_[thread];
  event.position = ++events_;
  times_[thread] = time;
  return {};
}

std::string_view RecordDecoder::control(const Record& record, ThreadContext& context, EventSink& sink) {
  constexpr std::uint64_t kMaxCode = std::numeric_limits<std::uint32_t>::max();
  switch (static_cast<Control>(record.kind())) {
    case Control::Ordinal:
      context.ordinal_base = record.body;
      return {};
    case Control::Call:
      if (record.body > kMaxCode) return "a call from outside the code";
      context.stack = push(context.stack, place(static_cast<std::uint32_t>(record.body)));
      return {};
    case Control::Return:
      // What was entered before the recording began is left, too.
      for (std::uint64_t left = record.body; left > 0 && context.stack.valid(); --left)
        context.stack = tables_.stacks[context.stack.index()].parent;
      return {};
    case Control::Switch:
      return {};
    case Control::Time:
      return reach(context.thread.value, record.body, sink);
  }
  return "a record of an unknown kind";
}

std::string_view RecordDecoder::retro(const Record& record, const RecordExtra& extra, Event& event) {
  if (!record.extra()) return "a retroactive access without its thread";
  const std::uint64_t owner = extra.value >> kRetroThreadAt;
  if (owner >= tables_.threads.size()) return "a retroactive access of an unknown thread";
  event.thread = ThreadId(static_cast<std::uint32_t>(owner));
  event.value = extra.value & kRetroTimeMask;
  event.has_value = true;
  event.ordinal = 0;  // its number is not known, and the field says something else
  const KnownSite* const found = site(record.head);
  if (found == nullptr) return kUnknownSite;
  event.place = found->place;
  event.stack = found->stack;
  return {};
}

bool RecordDecoder::find_site(std::uint64_t head, KnownSite& found) {
  const Record record{head, 0};
  const std::uint32_t site = record.place();
  if (site == 0 || site >= kMaxSites) {
    found.place = place(site);
    found.stack = {};
  } else {
    const KnownGroup* const known = group(site / kGroupSites);
    if (known == nullptr) return false;
    found.place = site_place(site);
    found.stack = known->stack;
  }
  if (record.has_value()) found.place = one_of_several(found.place);
  found.key = site_key(head);
  return true;
}

PlaceId RecordDecoder::one_of_several(PlaceId id) {
  if (!id.valid() || !tables_.places[id.index()].module.valid()) return id;
  if (id.index() >= ones_of_several_.size()) ones_of_several_.resize(tables_.places.size());
  PlaceId& twin = ones_of_several_[id.index()];
  if (!twin.valid()) {
    twin = PlaceId(tables_.places.size());
    tables_.places.push_back(tables_.places[id.index()]);
    tables_.places.back().one_of_several = true;
  }
  return twin;
}

const RecordDecoder::KnownGroup* RecordDecoder::group(std::uint32_t number) {
  if (number < groups_.size() && groups_[number].known) return &groups_[number];
  if (number >= groups_.size()) groups_.resize(number + 1);
  std::vector<std::uint32_t> path;  // from the group outwards
  for (std::uint32_t at = number; at != 0 && !groups_[at].known;) {
    const SiteGroup* const found = file_.group(at);
    if (found == nullptr) return nullptr;
    groups_[at].group = *found;
    path.push_back(at);
    const std::uint32_t around = groups_[at].group.caller / kGroupSites;
    if (around >= at) return nullptr;
    at = around;
  }
  for (; !path.empty(); path.pop_back()) {
    KnownGroup& outermost = groups_[path.back()];
    const std::uint32_t caller = outermost.group.caller;
    if (caller != 0) outermost.stack = push(groups_[caller / kGroupSites].stack, site_place(caller));
    outermost.known = true;
  }
  return &groups_[number];
}

// A reader of any format promises that events refer to what the tables know (rvl_events.h).
std::string_view RecordDecoder::check_target(const Event& event) const {
  const auto unknown_unit = [this](std::uint64_t unit) {
    return unit >= tables_.units.size() && unit != UnitId::kNone;
  };
  switch (target_space(event.kind)) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      return is_synthetic(event.target) ? "an address that no program has" : "";
    case TargetSpace::Thread:
      return event.target >= tables_.threads.size() ? "a fork or join of an unknown thread" : "";
    case TargetSpace::Unit:
      return unknown_unit(event.target) ? "a unit of work without a name" : "";
    case TargetSpace::Range:
      return event.kind == EventKind::ObjectBegin && event.has_value && unknown_unit(event.value)
                 ? "an object of a class without a name"
                 : "";
    case TargetSpace::None:
      return {};
  }
  return {};
}

void RecordDecoder::add_ranges(Event event, std::uint64_t width, EventSink& sink) {
  do {
    event.width = static_cast<std::uint32_t>(std::min(width, kMaxWidth));
    event.position = ++events_;
    sink.add() = event;
    event.target += event.width;
    width -= event.width;
  } while (width > 0);
}

PlaceId RecordDecoder::find_place(std::uint32_t unit) {
  if (unit == 0) return {};
  const auto known = places_.find(unit);
  if (known != places_.end()) return known->second;
  const PlaceId id(tables_.places.size());
  Place place;
  notes_.refresh();  // a module's note is older than any record about its code
  if (const auto code = notes_.find(unit)) {
    place.file = tables_.modules[code->module.index()].path;
    place.module = code->module;
    place.offset = code->offset;
  } else {
    place.line = unit;
  }
  tables_.places.push_back(std::move(place));
  places_.emplace(unit, id);
  return id;
}

StackId RecordDecoder::push(StackId stack, PlaceId call) {
  const std::uint64_t key = std::uint64_t{stack.value} << 32 | call.value;
  KnownStack& known = recent_stacks_[(stack.value * 31 + call.value) % recent_stacks_.size()];
  if (known.key == key) return known.stack;
  const StackId next(tables_.stacks.size());
  const auto [entry, fresh] = stacks_.try_emplace(key, next);
  if (fresh) tables_.stacks.push_back({stack, call});
  known = {key, entry->second};
  return entry->second;
}

}  // namespace ravel::stream

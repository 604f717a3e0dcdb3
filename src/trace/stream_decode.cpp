#include "trace/stream_decode.h"

#include <algorithm>
#include <limits>

namespace ravel::stream {
namespace {

constexpr KindMask kResolverKinds = kVariableLifetime;
/// More than any process can address.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 48;
/// Larger blocks become several events. A multiple of every alignment that matters.
constexpr std::uint64_t kMaxWidth = std::uint64_t{1} << 31;

bool is_retro(EventKind kind) { return kRetroAccesses.has(kind); }

}  // namespace

std::string_view RecordDecoder::decode(const WholeRecord& whole, ThreadContext& context,
                                       std::vector<Event>& events) {
  const Record& record = whole.record;
  if (record.kind() >= static_cast<unsigned>(Control::Ordinal)) return control(record, context);
  if (record.kind() >= kEventKindCount) return "a record of an unknown kind";

  Event event;
  event.kind = static_cast<EventKind>(record.kind());
  if (kResolverKinds.has(event.kind)) return "a record of a kind that no program has";
  event.order = record.order();
  if (event.order > MemoryOrder::SeqCst) return "a record with an unknown memory order";
  event.thread = context.thread;
  event.target = record.body;
  event.has_value = record.has_value();
  if (event.has_value && !record.extra()) return "a record that lacks its value";
  event.value = event.has_value ? whole.extra.value : 0;
  event.ordinal = static_cast<std::uint32_t>(context.ordinal_base + record.ordinal());
  event.stack = context.stack;
  if (is_retro(event.kind)) {
    if (const auto wrong = retro(whole, event); !wrong.empty()) return wrong;
  } else {
    event.place = place(record.place());
  }
  if (const auto wrong = check_target(event); !wrong.empty()) return wrong;

  const unsigned code = record.width_code();
  std::uint64_t width = code;
  if (code == Record::kWidthSixteen) {
    width = 16;
  } else if (code == Record::kWidthInExtra) {
    if (!record.extra() || event.has_value) return "a record that lacks its width";
    width = whole.extra.value;
    if (width > kMaxBytes) return "a block of memory that is larger than memory";
  } else if (code > Record::kWidthSixteen) {
    return "a record of an unknown width";
  }
  if (is_retro(event.kind)) width += std::uint64_t{8} * record.ordinal();
  append_ranges(event, width, events);
  return {};
}

std::string_view RecordDecoder::control(const Record& record, ThreadContext& context) {
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
  }
  return "a record of an unknown kind";
}

std::string_view RecordDecoder::retro(const WholeRecord& whole, Event& event) {
  if (!whole.record.extra()) return "a retroactive access without its thread";
  const std::uint64_t owner = whole.extra.value >> kRetroThreadAt;
  if (owner >= tables_.threads.size()) return "a retroactive access of an unknown thread";
  event.thread = ThreadId(static_cast<std::uint32_t>(owner));
  event.value = whole.extra.value & ((std::uint64_t{1} << kRetroThreadAt) - 1);
  event.has_value = true;
  event.ordinal = 0;  // its number is not known, and the field says something else
  event.stack = {};
  const std::uint32_t where = whole.record.place();
  if (where == 0 || where >= kMaxSites) {
    event.place = place(where);
  } else {
    const KnownGroup* const known = group(where / kGroupSites);
    if (known == nullptr) return "a retroactive access at an unknown site";
    event.place = site_place(where);
    event.stack = known->stack;
  }
  if (whole.record.has_value()) event.place = one_of_several(event.place);
  return {};
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

void RecordDecoder::append_ranges(const Event& event, std::uint64_t width, std::vector<Event>& events) {
  std::uint64_t target = event.target;
  do {
    Event& part = events.emplace_back(event);
    part.target = target;
    part.width = static_cast<std::uint32_t>(std::min(width, kMaxWidth));
    part.position = ++events_;
    target += part.width;
    width -= part.width;
  } while (width > 0);
}

PlaceId RecordDecoder::find_place(std::uint32_t unit) {
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
  const StackId next(tables_.stacks.size());
  const auto [entry, fresh] = stacks_.try_emplace(std::uint64_t{stack.value} << 32 | call.value, next);
  if (fresh) tables_.stacks.push_back({stack, call});
  return entry->second;
}

}  // namespace ravel::stream

#include "trace/tiddle_text.h"

#include <fmt/format.h>

#include "trace/line_reader.h"
#include "trace/tiddle_line.h"

namespace ravel {
namespace {

std::unexpected<Error> cannot_name(std::string_view what, std::string_view name, const Event& event) {
  return fail(fmt::format("Tiddle cannot name the {} {} (event {})", what, quoted(name), event.position));
}

std::string_view space_text(TargetSpace space) {
  switch (space) {
    case TargetSpace::Variable:
      return "variable";
    case TargetSpace::Lock:
      return "lock";
    case TargetSpace::Condition:
      return "condition";
    case TargetSpace::Barrier:
      return "barrier";
    case TargetSpace::Thread:
      return "thread";
    case TargetSpace::Unit:
      return "label";
    case TargetSpace::Range:
      return "block";
    case TargetSpace::None:
      return "";
  }
  CHECK(false, "unknown target space");
}

/// " x" or " 0x7f0010:4".
Result<std::string> object_text(const Event& event, const Tables& tables) {
  const TargetSpace space = target_space(event.kind);
  if (!is_synthetic(event.address())) return fmt::format(" {:#x}:{}", event.address(), event.width);
  const auto& names = tables.names(space);
  const std::uint32_t index = synthetic_index(event.address());
  if (index >= names.size() || event.address() != synthetic_address(space, index))
    return fail(fmt::format("event {} has a {} without a name", event.position, space_text(space)));
  if (!is_tiddle_name(names[index])) return cannot_name(space_text(space), names[index], event);
  const std::uint32_t usual = space == TargetSpace::Variable ? kSyntheticWidth : 0;
  if (event.width != usual)
    return fail(fmt::format("Tiddle cannot say that {} is {} bytes wide (event {})", names[index],
                            event.width, event.position));
  return " " + names[index];
}

/// " label"; nothing for the empty one.
Result<std::string> label_text(UnitId unit, const Event& event, const Tables& tables) {
  if (unit.index() >= tables.units.size()) return fail(fmt::format("event {} has no label", event.position));
  const std::string& label = tables.units[unit.index()];
  if (label.empty()) return std::string();
  if (!is_tiddle_name(label)) return cannot_name("label", label, event);
  return " " + label;
}

Result<std::string> target_text(const Event& event, const Tables& tables, ThreadNumbers& numbers) {
  switch (target_space(event.kind)) {
    case TargetSpace::Variable:
    case TargetSpace::Lock:
    case TargetSpace::Condition:
    case TargetSpace::Barrier:
      return object_text(event, tables);
    case TargetSpace::Thread:
      return fmt::format(" {}", numbers.number(event.other_thread(), tables));
    case TargetSpace::Unit:
      return label_text(event.unit(), event, tables);
    case TargetSpace::Range:
      if (is_synthetic(event.address())) return fail(fmt::format("event {} has no address", event.position));
      return fmt::format(" {:#x} {}", event.address(), event.width);
    case TargetSpace::None:
      return std::string();
  }
  CHECK(false, "unknown target space");
}

bool can_have_value(EventKind kind) {
  return is_access(kind) || kToldOrder.has(kind) || kind == EventKind::ObjectEnd;
}
bool must_have_value(EventKind kind) { return (kRetroAccesses | kToldOrder).has(kind); }

}  // namespace

std::uint64_t ThreadNumbers::number(ThreadId thread, const Tables& tables) {
  if (thread.index() >= numbers_.size()) numbers_.resize(thread.index() + 1);
  std::optional<std::uint64_t>& number = numbers_[thread.index()];
  if (number) return *number;
  number = parse_thread_number(tables.thread_name(thread));
  if (!number || !taken_.insert(*number).second) {
    number = thread.value;
    while (!taken_.insert(*number).second) ++*number;
  }
  return *number;
}

Result<std::string> tiddle_text(const Event& event, const Tables& tables, ThreadNumbers& numbers,
                                TiddleLosses& losses) {
  if (mnemonic(event.kind).empty())
    return fail(fmt::format("Tiddle has no operation {} (event {})", kind_name(event.kind), event.position));
  std::string text = fmt::format("{} {}", mnemonic(event.kind), numbers.number(event.thread, tables));
  auto target = target_text(event, tables, numbers);
  if (!target) return target;
  text += *target;

  const bool has_order = is_atomic(event.kind) || event.kind == EventKind::Fence;
  if (has_order && (event.order != MemoryOrder::SeqCst || event.kind == EventKind::Fence))
    text += event.order == MemoryOrder::None ? " none" : fmt::format(" {}", order_name(event.order));
  const bool late =
      event.is_late_atomic() || (event.kind == EventKind::After && event.order == MemoryOrder::Relaxed);
  if (late) text += fmt::format(" {}", order_name(event.order));
  const bool tried = is_acquire(event.kind) && !event.would_wait();
  if (tried) text += fmt::format(" {}", kTriedWord);
  if (!has_order && !tried && !late && event.order != MemoryOrder::None) ++losses.orders;

  if (must_have_value(event.kind) && !event.has_value)
    return fail(fmt::format("event {} is reported late but has no time", event.position));
  if (!event.has_value) return text;
  if (event.kind == EventKind::ObjectBegin) {
    auto label = label_text(UnitId(static_cast<std::uint32_t>(event.value)), event, tables);
    if (!label) return label;
    if (label->empty()) return cannot_name("class", "", event);
    return text + *label;
  }
  if (can_have_value(event.kind))
    text += fmt::format(" {}", static_cast<std::int64_t>(event.value));
  else
    ++losses.values;
  return text;
}

}  // namespace ravel

// Text to Schedule: the schema, one function per kind of value in it.
#include "schedule/json_reader.h"
#include "schedule/kind_text.h"
#include "schedule/schedule.h"

namespace ravel {
namespace {

// X(key)
#define RAVEL_SCHEDULE_KEYS(X) \
  X(version)                   \
  X(command)                   \
  X(directory)                 \
  X(environment)               \
  X(input_hash)                \
  X(seed)                      \
  X(strategy)                  \
  X(outcome)                   \
  X(decisions)                 \
  X(constraints)

// X(key)
#define RAVEL_STEP_KEYS(X) \
  X(thread)                \
  X(syncs)                 \
  X(ordinal)               \
  X(place)                 \
  X(occurrence)            \
  X(kind)

enum class Key : std::uint8_t {
#define X(name) name,
  RAVEL_SCHEDULE_KEYS(X) RAVEL_STEP_KEYS(X) unknown
#undef X
};

struct KeyRow {
  Key key;
  const char* text;
};

constexpr KeyRow kScheduleKeys[] = {
#define X(name) {Key::name, #name},
    RAVEL_SCHEDULE_KEYS(X)};
constexpr KeyRow kStepKeys[] = {RAVEL_STEP_KEYS(X)
#undef X
};

/// Takes the keys of one object, which is itself the value of key `parent`, and remembers them.
class Keys {
 public:
  Keys(JsonReader& reader, std::span<const KeyRow> rows, const char* parent)
      : reader_(reader), rows_(rows), parent_(parent) {}

  /// Takes the next member's key. false: the object is over, or an error.
  bool next(Key& out) {
    reader_.set_key(parent_);
    if (!reader_.next('}', first_)) return false;
    const std::size_t position = reader_.position();
    std::string_view text;
    if (!reader_.key(text)) return false;
    out = Key::unknown;
    for (const KeyRow& row : rows_) {
      if (text != row.text) continue;
      out = row.key;
      reader_.set_key(row.text);
    }
    if (out == Key::unknown) return true;
    if (has(out)) return reader_.fail_at(position, "given twice");
    seen_ |= bit(out);
    return true;
  }

  bool has(Key key) const { return (seen_ & bit(key)) != 0; }

 private:
  static std::uint32_t bit(Key key) { return std::uint32_t{1} << static_cast<int>(key); }

  JsonReader& reader_;
  std::span<const KeyRow> rows_;
  const char* parent_;
  bool first_ = true;
  std::uint32_t seen_ = 0;
};

class ScheduleParser {
 public:
  ScheduleParser(std::string_view json, Arena& arena) : reader_(json, arena), arena_(arena) {}

  ScheduleError parse(Schedule& out) {
    Schedule schedule;
    if (parse_schedule(schedule) && reader_.end()) out = schedule;
    return reader_.error();
  }

 private:
  bool parse_schedule(Schedule& out) {
    const std::size_t start = reader_.position();
    if (!reader_.enter('{')) return false;
    Keys keys(reader_, kScheduleKeys, "");
    Key key{};
    while (keys.next(key)) {
      if (!parse_member(key, out)) return false;
    }
    if (reader_.failed()) return false;
    if (!keys.has(Key::version)) return reader_.fail_at(start, "the schedule has no version");
    if (keys.has(Key::decisions) == keys.has(Key::constraints)) {
      return reader_.fail_at(start, "a schedule has either decisions or constraints");
    }
    out.form = keys.has(Key::decisions) ? ScheduleForm::Decisions : ScheduleForm::Constraints;
    return true;
  }

  bool parse_member(Key key, Schedule& out) {
    switch (key) {
      case Key::version:
        return parse_version();
      case Key::command:
        return parse_strings(out.command);
      case Key::directory:
        return reader_.string(out.directory);
      case Key::environment:
        return parse_strings(out.environment);
      case Key::input_hash:
        return reader_.string(out.input_hash);
      case Key::seed:
        return reader_.number(out.seed);
      case Key::strategy:
        return reader_.string(out.strategy);
      case Key::outcome:
        return reader_.string(out.outcome);
      case Key::decisions:
        return parse_array(out.decisions, [this](Decision& decision) { return parse_decision(decision); });
      case Key::constraints:
        return parse_array(out.constraints,
                           [this](Constraint& constraint) { return parse_constraint(constraint); });
      default:
        return reader_.skip();
    }
  }

  bool parse_version() {
    const std::size_t position = reader_.position();
    std::uint64_t version = 0;
    if (!reader_.number(version)) return false;
    return version == kScheduleVersion || reader_.fail_at(position, "this version of schedules is not known");
  }

  template <typename T, typename ParseElement>
  bool parse_array(std::span<const T>& out, ParseElement parse_element) {
    if (!reader_.enter('[')) return false;
    ArenaVector<T> values(arena_);
    bool first = true;
    while (reader_.next(']', first)) {
      T value{};
      if (!parse_element(value)) return false;
      if (!values.push_back(value)) return reader_.fail("out of memory");
    }
    out = values.values();
    return !reader_.failed();
  }

  bool parse_strings(std::span<const std::string_view>& out) {
    return parse_array(out, [this](std::string_view& text) { return reader_.string(text); });
  }

  bool parse_thread(ForkPath& out) {
    const std::size_t position = reader_.position();
    if (!reader_.string(out.text)) return false;
    return out.well_formed() ||
           reader_.fail_at(position,
                           "a thread is a fork path: 0 for the main thread, 0.1 for the second it starts");
  }

  /// ["0.1", 5]
  bool parse_decision(Decision& out) {
    const char* shape = "a decision is an array of a thread and a number of steps";
    const std::size_t position = reader_.position();
    bool first = true;
    if (!reader_.enter('[')) return false;
    if (!reader_.next(']', first)) return reader_.fail_at(position, shape);
    if (!parse_thread(out.thread)) return false;
    if (!reader_.next(']', first)) return reader_.fail_at(position, shape);
    if (!reader_.number(out.steps)) return false;
    if (out.steps == 0) return reader_.fail_at(position, "a decision has at least one step");
    if (reader_.next(']', first)) return reader_.fail_at(position, shape);
    return !reader_.failed();
  }

  /// [{step}, {step}]: the first before the second.
  bool parse_constraint(Constraint& out) {
    const char* shape = "a constraint is an array of two steps";
    const std::size_t position = reader_.position();
    bool first = true;
    if (!reader_.enter('[')) return false;
    if (!reader_.next(']', first)) return reader_.fail_at(position, shape);
    if (!parse_step(out.before)) return false;
    if (!reader_.next(']', first)) return reader_.fail_at(position, shape);
    if (!parse_step(out.after)) return false;
    if (reader_.next(']', first)) return reader_.fail_at(position, shape);
    return !reader_.failed();
  }

  bool parse_step(Step& out) {
    const std::size_t position = reader_.position();
    if (!reader_.enter('{')) return false;
    Keys keys(reader_, kStepKeys, "constraints");
    Key key{};
    while (keys.next(key)) {
      if (!parse_step_member(key, out)) return false;
    }
    if (reader_.failed()) return false;
    if (keys.has(Key::syncs) != keys.has(Key::ordinal)) {
      return reader_.fail_at(position, "a step has both syncs and ordinal, or neither");
    }
    return out.names_a_step() ||
           reader_.fail_at(position, "a step needs thread, syncs and ordinal, or place and occurrence");
  }

  bool parse_step_member(Key key, Step& out) {
    switch (key) {
      case Key::thread:
        return parse_thread(out.thread);
      case Key::syncs:
        return parse_count(out.syncs);
      case Key::ordinal:
        return parse_count(out.ordinal);
      case Key::place:
        return reader_.string(out.place);
      case Key::occurrence:
        return reader_.number(out.occurrence);
      case Key::kind:
        return parse_kind(out);
      default:
        return reader_.skip();
    }
  }

  bool parse_count(std::uint64_t& out) {
    const std::size_t position = reader_.position();
    if (!reader_.number(out)) return false;
    return out != Step::kUnknown || reader_.fail_at(position, "the number is too big");
  }

  bool parse_kind(Step& out) {
    const std::size_t position = reader_.position();
    std::string_view text;
    if (!reader_.string(text)) return false;
    out.has_kind = kind_from_text(text, out.kind);
    return out.has_kind || reader_.fail_at(position, "unknown kind of event");
  }

  JsonReader reader_;
  Arena& arena_;
};

}  // namespace

ScheduleError parse_schedule(std::string_view json, Arena& arena, Schedule& out) {
  return ScheduleParser(json, arena).parse(out);
}

}  // namespace ravel

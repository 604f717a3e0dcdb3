// Text to Schedule: the schema, one function per kind of value in it.
#include "schedule/json_reader.h"
#include "schedule/kind_text.h"
#include "schedule/schedule.h"

namespace ravel {
namespace {

// X(name, text)
#define RAVEL_SCHEDULE_KEYS(X)  \
  X(Version, "version")         \
  X(Command, "command")         \
  X(Directory, "directory")     \
  X(Environment, "environment") \
  X(InputHash, "input_hash")    \
  X(Seed, "seed")               \
  X(Strategy, "strategy")       \
  X(SwitchAt, "switch_at")      \
  X(Virtual, "virtual")         \
  X(StartTime, "start_time")    \
  X(StepLimit, "step_limit")    \
  X(Outcome, "outcome")         \
  X(Decisions, "decisions")     \
  X(Constraints, "constraints")

#define RAVEL_STEP_KEYS(X)    \
  X(Thread, "thread")         \
  X(Syncs, "syncs")           \
  X(Ordinal, "ordinal")       \
  X(Place, "place")           \
  X(Occurrence, "occurrence") \
  X(Kind, "kind")

#define X(name, text) name,
enum class ScheduleKey : std::uint8_t { RAVEL_SCHEDULE_KEYS(X) Unknown };
enum class StepKey : std::uint8_t { RAVEL_STEP_KEYS(X) Unknown };
#undef X
#define X(name, text) text,
constexpr const char* kScheduleKeys[] = {RAVEL_SCHEDULE_KEYS(X)};
constexpr const char* kStepKeys[] = {RAVEL_STEP_KEYS(X)};
#undef X

/// Takes the keys of one object, which is itself the value of key `parent`, and remembers them.
template <typename Key>
class Keys {
 public:
  Keys(JsonReader& reader, std::span<const char* const> texts, const char* parent)
      : reader_(reader), texts_(texts), parent_(parent) {}

  /// Takes the next member's key. false: the object is over, or an error.
  bool next(Key& out) {
    reader_.set_key(parent_);
    if (!reader_.next('}', first_)) return false;
    const std::size_t position = reader_.position();
    std::string_view text;
    if (!reader_.key(text)) return false;
    out = Key::Unknown;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (text != texts_.data()[i]) continue;
      out = static_cast<Key>(i);
      reader_.set_key(texts_.data()[i]);
    }
    if (out == Key::Unknown) return true;
    if (has(out)) return reader_.fail_at(position, "given twice");
    seen_ |= bit(out);
    return true;
  }

  bool has(Key key) const { return (seen_ & bit(key)) != 0; }

 private:
  static std::uint32_t bit(Key key) { return std::uint32_t{1} << static_cast<int>(key); }

  JsonReader& reader_;
  std::span<const char* const> texts_;
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
    Keys<ScheduleKey> keys(reader_, kScheduleKeys, "");
    ScheduleKey key{};
    while (keys.next(key)) {
      if (!parse_member(key, out)) return false;
    }
    if (reader_.failed()) return false;
    if (!keys.has(ScheduleKey::Version)) return reader_.fail_at(start, "the schedule has no version");
    if (keys.has(ScheduleKey::Decisions) == keys.has(ScheduleKey::Constraints)) {
      return reader_.fail_at(start, "a schedule has either decisions or constraints");
    }
    out.form = keys.has(ScheduleKey::Decisions) ? ScheduleForm::Decisions : ScheduleForm::Constraints;
    return true;
  }

  bool parse_member(ScheduleKey key, Schedule& out) {
    switch (key) {
      case ScheduleKey::Version:
        return parse_version();
      case ScheduleKey::Command:
        return parse_strings(out.command);
      case ScheduleKey::Directory:
        return reader_.string(out.directory);
      case ScheduleKey::Environment:
        return parse_strings(out.environment);
      case ScheduleKey::InputHash:
        return reader_.string(out.input_hash);
      case ScheduleKey::Seed:
        return reader_.number(out.seed);
      case ScheduleKey::Strategy:
        return reader_.string(out.strategy);
      case ScheduleKey::SwitchAt:
        return parse_word(kSwitchAtTexts, out.switch_at, "expected sync, shared or all");
      case ScheduleKey::Virtual:
        return parse_virtual(out);
      case ScheduleKey::StartTime:
        return reader_.number(out.start_time);
      case ScheduleKey::StepLimit:
        return reader_.number(out.step_limit);
      case ScheduleKey::Outcome:
        return reader_.string(out.outcome);
      case ScheduleKey::Decisions:
        return parse_array(out.decisions, [this](Decision& decision) { return parse_decision(decision); });
      case ScheduleKey::Constraints:
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

  /// One of `words`, each of which stands for the value of its index.
  template <typename T>
  bool parse_word(std::span<const std::string_view> words, T& out, const char* message) {
    const std::size_t position = reader_.position();
    std::string_view text;
    if (!reader_.string(text)) return false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (text != words.data()[i]) continue;
      out = static_cast<T>(i);
      return true;
    }
    return reader_.fail_at(position, message);
  }

  /// ["time", "random"]
  bool parse_virtual(Schedule& out) {
    constexpr std::string_view kWords[] = {"time", "random"};
    std::span<const std::size_t> found;
    const auto parse_one = [&](std::size_t& word) {
      return parse_word(kWords, word, "expected time or random");
    };
    if (!parse_array(found, parse_one)) return false;
    out.virtual_time = out.virtual_random = false;
    for (const std::size_t word : found) (word == 0 ? out.virtual_time : out.virtual_random) = true;
    return true;
  }

  /// ["0.1", 5] or ["0.1", 5, "lock"]
  bool parse_decision(Decision& out) {
    const char* shape = "a decision is an array of a thread, a number of steps and, if known, their kind";
    const std::size_t position = reader_.position();
    bool first = true;
    if (!reader_.enter('[')) return false;
    if (!reader_.next(']', first)) return reader_.fail_at(position, shape);
    if (!parse_thread(out.thread)) return false;
    if (!reader_.next(']', first)) return reader_.fail_at(position, shape);
    if (!reader_.number(out.steps)) return false;
    if (out.steps == 0) return reader_.fail_at(position, "a decision has at least one step");
    out.has_kind = reader_.next(']', first);
    if (!out.has_kind) return !reader_.failed();
    if (!parse_word(kOperationTexts, out.kind, "unknown kind of operation")) return false;
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
    Keys<StepKey> keys(reader_, kStepKeys, "constraints");
    StepKey key{};
    while (keys.next(key)) {
      if (!parse_step_member(key, out)) return false;
    }
    if (reader_.failed()) return false;
    if (keys.has(StepKey::Syncs) != keys.has(StepKey::Ordinal)) {
      return reader_.fail_at(position, "a step has both syncs and ordinal, or neither");
    }
    return out.names_a_step() ||
           reader_.fail_at(position, "a step needs thread, syncs and ordinal, or place and occurrence");
  }

  bool parse_step_member(StepKey key, Step& out) {
    switch (key) {
      case StepKey::Thread:
        return parse_thread(out.thread);
      case StepKey::Syncs:
        return parse_count(out.syncs);
      case StepKey::Ordinal:
        return parse_count(out.ordinal);
      case StepKey::Place:
        return reader_.string(out.place);
      case StepKey::Occurrence:
        return reader_.number(out.occurrence);
      case StepKey::Kind:
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

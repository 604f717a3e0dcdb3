// Schedule to text. One key a line; decisions eight a line, constraints one.
#include "schedule/kind_text.h"
#include "schedule/schedule.h"
#include "schedule/utf8.h"

namespace ravel {
namespace {

/// Collects small pieces so that `write` is not called for every character.
class Output {
 public:
  Output(WriteText write, void* context) : write_(write), context_(context) {}

  void put(std::string_view text) {
    while (!text.empty()) {
      if (used_ == sizeof(buffer_)) flush();
      const std::size_t room = sizeof(buffer_) - used_;
      const std::size_t count = text.size() < room ? text.size() : room;
      std::memcpy(buffer_ + used_, text.data(), count);
      used_ += count;
      text.remove_prefix(count);
    }
  }

  void put_number(std::uint64_t number) {
    char digits[20];
    std::size_t at = sizeof(digits);
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    put({digits + at, sizeof(digits) - at});
  }

  void put_string(std::string_view text) {
    put("\"");
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      std::string_view character = text;
      character.remove_suffix(text.size() - length);
      const auto byte = static_cast<unsigned char>(text.front());
      if (length == 0) {
        put_unicode(0xdc00u | byte);  // JsonReader turns it back into the byte
      } else if (byte == '"' || byte == '\\') {
        put("\\");
        put(character);
      } else if (byte == '\n') {
        put("\\n");
      } else if (byte == '\t') {
        put("\\t");
      } else if (byte < 0x20 || byte == 0x7f) {
        put_unicode(byte);
      } else {
        put(character);
      }
      text.remove_prefix(length == 0 ? 1 : length);
    }
    put("\"");
  }

  bool finish() {
    flush();
    return good_;
  }

 private:
  void put_unicode(unsigned code) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const char text[] = {
        '\\', 'u', kHex[code >> 12 & 15], kHex[code >> 8 & 15], kHex[code >> 4 & 15], kHex[code & 15]};
    put({text, sizeof(text)});
  }

  void flush() {
    if (good_ && used_ != 0) good_ = write_(context_, {buffer_, used_});
    used_ = 0;
  }

  WriteText write_;
  void* context_;
  bool good_ = true;
  std::size_t used_ = 0;
  char buffer_[512];
};

void put_strings(Output& out, std::span<const std::string_view> texts) {
  out.put("[");
  std::string_view separator;
  for (const std::string_view text : texts) {
    out.put(separator);
    out.put_string(text);
    separator = ", ";
  }
  out.put("]");
}

void put_step(Output& out, const Step& step) {
  std::string_view separator;
  const auto key = [&](std::string_view name) {
    out.put(separator);
    out.put_string(name);
    out.put(": ");
    separator = ", ";
  };
  out.put("{");
  if (!step.thread.text.empty()) {
    key("thread");
    out.put_string(step.thread.text);
  }
  if (step.counted()) {
    key("syncs");
    out.put_number(step.syncs);
    key("ordinal");
    out.put_number(step.ordinal);
  }
  if (!step.place.empty()) {
    key("place");
    out.put_string(step.place);
  }
  if (step.occurrence != 0) {
    key("occurrence");
    out.put_number(step.occurrence);
  }
  if (step.has_kind) {
    key("kind");
    out.put_string(kind_text(step.kind));
  }
  out.put("}");
}

void put_decisions(Output& out, std::span<const Decision> decisions) {
  constexpr std::size_t kPerLine = 8;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Decision& decision = decisions.data()[i];
    out.put(i == 0 ? "\n    [" : i % kPerLine == 0 ? ",\n    [" : ", [");
    out.put_string(decision.thread.text);
    out.put(", ");
    out.put_number(decision.steps);
    if (decision.has_kind) {
      out.put(", ");
      out.put_string(operation_text(decision.kind));
    }
    out.put("]");
  }
}

void put_constraints(Output& out, std::span<const Constraint> constraints) {
  std::string_view separator = "\n    [";
  for (const Constraint& constraint : constraints) {
    out.put(separator);
    put_step(out, constraint.before);
    out.put(", ");
    put_step(out, constraint.after);
    out.put("]");
    separator = ",\n    [";
  }
}

void put_virtual(Output& out, const Schedule& schedule) {
  std::string_view words[2];
  std::size_t count = 0;
  if (schedule.virtual_time) words[count++] = "time";
  if (schedule.virtual_random) words[count++] = "random";
  put_strings(out, {words, count});
}

/// A buffer that counts what it has no room for.
struct Room {
  std::span<char> buffer;
  std::size_t size = 0;
};

}  // namespace

bool print_schedule(const Schedule& schedule, WriteText write, void* context) {
  Output out(write, context);
  out.put("{\n  \"version\": ");
  out.put_number(kScheduleVersion);
  out.put(",\n  \"command\": ");
  put_strings(out, schedule.command);
  out.put(",\n  \"directory\": ");
  out.put_string(schedule.directory);
  out.put(",\n  \"environment\": ");
  put_strings(out, schedule.environment);
  out.put(",\n  \"input_hash\": ");
  out.put_string(schedule.input_hash);
  out.put(",\n  \"seed\": ");
  out.put_number(schedule.seed);
  out.put(",\n  \"strategy\": ");
  out.put_string(schedule.strategy);
  out.put(",\n  \"switch_at\": ");
  out.put_string(kSwitchAtTexts[static_cast<std::size_t>(schedule.switch_at)]);
  out.put(",\n  \"virtual\": ");
  put_virtual(out, schedule);
  out.put(",\n  \"start_time\": ");
  out.put_number(schedule.start_time);
  out.put(",\n  \"step_limit\": ");
  out.put_number(schedule.step_limit);
  out.put(",\n  \"outcome\": ");
  out.put_string(schedule.outcome);
  if (schedule.form == ScheduleForm::Decisions) {
    out.put(",\n  \"decisions\": [");
    put_decisions(out, schedule.decisions);
  } else {
    out.put(",\n  \"constraints\": [");
    put_constraints(out, schedule.constraints);
  }
  out.put("\n  ]\n}\n");
  return out.finish();
}

std::size_t print_schedule(const Schedule& schedule, std::span<char> buffer) {
  Room room{buffer};
  const auto write = [](void* context, std::string_view piece) {
    Room& to = *static_cast<Room*>(context);
    if (to.size < to.buffer.size()) {
      const std::size_t left = to.buffer.size() - to.size;
      std::memcpy(to.buffer.data() + to.size, piece.data(), piece.size() < left ? piece.size() : left);
    }
    to.size += piece.size();
    return true;
  };
  print_schedule(schedule, write, &room);
  return room.size;
}

}  // namespace ravel

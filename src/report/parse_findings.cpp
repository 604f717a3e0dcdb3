// JSON to findings. The text may come from anywhere: every key is asked for, every type is checked.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/printer.h"

namespace ravel {
namespace {

using Json = nlohmann::json;

/// Far deeper than a finding; the limit bounds the memory that a hostile text can make the JSON library use.
constexpr std::size_t kMaxDepth = 64;

/// Offset of the first bracket that is nested too deeply; npos: none.
std::size_t too_deep(std::string_view json) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

std::uint64_t line_of(std::string_view json, std::size_t offset) {
  return 1 + static_cast<std::uint64_t>(std::ranges::count(json.substr(0, offset), '\n'));
}

/// Takes values out of a JSON tree. The first error sticks, and what is taken after it is empty.
class Taker {
 public:
  /// The member `key` of the object at `where`, or null with an error.
  const Json& member(const Json& object, const std::string& where, const char* key) {
    static const Json null;
    if (!object.is_object()) {
      fail(where, "is not an object");
      return null;
    }
    const auto found = object.find(key);
    if (found == object.end()) {
      fail(where, fmt::format("has no '{}'", key));
      return null;
    }
    return *found;
  }

  void take(const Json& value, const std::string& where, std::string& out) {
    if (value.is_string()) {
      out = value.get_ref<const std::string&>();
    } else {
      fail(where, "is not a string");
    }
  }

  void take(const Json& value, const std::string& where, std::uint64_t& out) {
    if (value.is_number_unsigned()) {
      out = value.get<std::uint64_t>();
    } else {
      fail(where, "is not an unsigned integer");
    }
  }

  void take(const Json& value, const std::string& where, Verdict& out) {
    take_name(value, where, "verdict", verdict_from, out);
  }

  void take(const Json& value, const std::string& where, FindingKind& out) {
    take_name(value, where, "kind", finding_kind_from, out);
  }

  void take(const Json& value, const std::string& where, Evidence& out) {
    get(value, where, "analysis", out.analysis);
    get(value, where, "verdict", out.verdict);
    get(value, where, "scope", out.scope);
    get(value, where, "events", out.events);
    get(value, where, "guarantee", out.guarantee);
    get(value, where, "schedule", out.schedule);
  }

  void take(const Json& value, const std::string& where, FindingStep& out) {
    get(value, where, "thread", out.thread);
    get(value, where, "place", out.place);
    get(value, where, "operation", out.operation);
    get(value, where, "object", out.object);
    get(value, where, "locks", out.locks);
    get(value, where, "value", out.value);
    get(value, where, "event", out.event);
  }

  void take(const Json& value, const std::string& where, Frame& out) {
    get(value, where, "function", out.function);
    get(value, where, "place", out.place);
  }

  void take(const Json& value, const std::string& where, Finding& out) {
    Verdict verdict{};
    std::string analysis;
    get(value, where, "id", out.id);
    get(value, where, "kind", out.kind);
    get(value, where, "verdict", verdict);
    get(value, where, "analysis", analysis);
    get(value, where, "evidence", out.evidence);
    get(value, where, "object", out.object);
    get(value, where, "pattern", out.pattern);
    get(value, where, "unit", out.unit);
    get(value, where, "events", out.events);
    get(value, where, "threads", out.threads);
    get(value, where, "places", out.places);
    get(value, where, "steps", out.steps);
    get(value, where, "stacks", out.stacks);
    get(value, where, "benign", out.benign);
    get(value, where, "outcome", out.outcome);
    get(value, where, "message", out.message);
    get(value, where, "occurrences", out.occurrences);
    if (!error_.empty()) return;
    if (out.id.empty()) fail(where + ".id", "is empty");
    // A verdict is what the evidence says; a file that claims another one was not written by ravel.
    if (verdict != out.verdict()) fail(where + ".verdict", "is not what the evidence says");
    if (analysis != out.analysis()) fail(where + ".analysis", "is not the one behind the verdict");
  }

  template <typename T>
  void take(const Json& value, const std::string& where, std::vector<T>& out) {
    if (!value.is_array()) return fail(where, "is not an array");
    out.resize(value.size());
    for (std::size_t i = 0; i < out.size() && error_.empty(); ++i) {
      take(value[i], fmt::format("{}[{}]", where, i), out[i]);
    }
  }

  template <typename T>
  void get(const Json& object, const std::string& where, const char* key, T& out) {
    if (!error_.empty()) return;
    const Json& value = member(object, where, key);
    if (error_.empty()) take(value, where + "." + key, out);
  }

  void fail(const std::string& where, const std::string& what) {
    if (error_.empty()) error_ = where + " " + what;
  }
  const std::string& error() const { return error_; }

 private:
  template <typename T>
  void take_name(const Json& value, const std::string& where, const char* what,
                 std::optional<T> (*from)(std::string_view), T& out) {
    std::string text;
    take(value, where, text);
    if (!error_.empty()) return;
    if (const std::optional<T> known = from(text)) {
      out = *known;
    } else {
      fail(where, fmt::format("is the unknown {} '{}'", what, text));
    }
  }

  std::string error_;
};

}  // namespace

Result<std::vector<Finding>> parse_findings(std::string_view json, const std::string& name) {
  if (const std::size_t offset = too_deep(json); offset != std::string_view::npos) {
    return fail("the findings are nested too deeply", name, line_of(json, offset));
  }
  Json report;
  try {
    report = Json::parse(json);
  } catch (const Json::parse_error& error) {
    // Its text repeats the position and names the library; ours says where in the user's words.
    return fail("not JSON, or cut off", name, line_of(json, error.byte == 0 ? 0 : error.byte - 1));
  } catch (const Json::exception&) {  // a number that no type can hold
    return fail("a number is out of range", name);
  }

  Taker taker;
  std::uint64_t version = 0;
  taker.get(report, "the report", "version", version);
  if (!taker.error().empty()) return fail(taker.error(), name);
  if (version != kFindingsVersion) {
    return fail(fmt::format("findings of version {}; this ravel reads version {}", version, kFindingsVersion),
                name);
  }
  const Json& list = taker.member(report, "the report", "findings");
  std::vector<Finding> findings;
  if (taker.error().empty()) taker.take(list, "findings", findings);
  if (!taker.error().empty()) return fail(taker.error(), name);
  return findings;
}

}  // namespace ravel

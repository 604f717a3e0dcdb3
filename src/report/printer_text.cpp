// Findings for people: a block each, then the SUMMARY lines that editors understand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "event/check.h"
#include "report/printer.h"
#include "report/source_lines.h"

namespace ravel {
namespace {

/// More steps than this are cut down to those the finding is about.
constexpr std::size_t kMaxSteps = 20;

std::string_view title(FindingKind kind) {
  switch (kind) {
    case FindingKind::Race:
      return "data race";
    case FindingKind::Deadlock:
      return "deadlock";
    case FindingKind::Atomicity:
      return "atomicity violation";
    case FindingKind::AtomicSet:
      return "atomic-set violation";
    case FindingKind::LostWakeup:
      return "lost wake-up";
    case FindingKind::Livelock:
      return "livelock";
    case FindingKind::Failure:
      return "failure";
  }
  CHECK(false, "unknown kind of finding");
}

/// ANSI attributes by verdict: the surer, the louder.
std::string_view colour(Verdict verdict) {
  switch (verdict) {
    case Verdict::Refuted:
      return "2";
    case Verdict::Suspected:
      return "33";
    case Verdict::Predicted:
      return "1;33";
    case Verdict::Observed:
      return "31";
    case Verdict::Confirmed:
    case Verdict::Failing:
      return "1;31";
  }
  CHECK(false, "unknown verdict");
}

/// Names come from traces and may contain anything; a terminal must not obey them.
std::string clean(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto after = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else if (byte == 0xc2 && after >= 0x80 &&
               after < 0xa0) {  // U+0080 to U+009F are control characters too
      result += fmt::format("\\u{:04x}", after);
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

/// A place as `file:line`; no file: it is a location of the trace's own.
struct FileLine {
  std::string file;
  std::uint64_t line = 0;
};

FileLine file_line(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  const char* digits = place.data() + (colon == std::string::npos ? 0 : colon + 1);
  FileLine result;
  const auto [end, error] = std::from_chars(digits, place.data() + place.size(), result.line);
  if (error != std::errc() || end != place.data() + place.size()) return {place, 0};
  if (colon != std::string::npos) result.file = place.substr(0, colon);
  return result;
}

std::string shell_quoted(const std::string& text) {
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=+,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, safe)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string headline(const Finding& finding) {
  std::string text(title(finding.kind));
  if (!finding.object.empty()) text += " on " + clean(finding.object);
  return text;
}

/// The rung a reader should see: a closed finding is refuted, whatever was suspected before.
Verdict shown_verdict(const Finding& finding) {
  return finding.closed() ? Verdict::Refuted : finding.verdict();
}

class TextPrinter {
 public:
  explicit TextPrinter(const ReportContext& context)
      : context_(context), sources_(context.source_directory) {}

  std::string print(std::span<const Finding> findings) {
    std::vector<const Finding*> shown;
    std::map<Verdict, std::size_t, std::greater<>> hidden;
    for (const Finding& finding : findings) {
      if (context_.show_all || finding.reaches(context_.fail_on)) {
        shown.push_back(&finding);
      } else {
        ++hidden[shown_verdict(finding)];
      }
    }
    for (const Finding* finding : shown) block(*finding);
    summary(shown, hidden);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string painted(std::string_view attributes, std::string_view text) const {
    return context_.color ? fmt::format("\x1b[{}m{}\x1b[0m", attributes, text) : std::string(text);
  }

  void block(const Finding& finding) {
    const Verdict verdict = shown_verdict(finding);
    line("{}: {}  [{}]", painted(colour(verdict), to_string(verdict)), painted("1", headline(finding)),
         clean(finding.id));
    if (!finding.message.empty()) line("  {}", clean(finding.message));
    if (!finding.unit.empty()) line("  unit of work: {}", clean(finding.unit));
    if (!finding.pattern.empty()) line("  pattern: {}", clean(finding.pattern));
    steps(finding);
    if (!finding.outcome.empty()) line("  outcome: {}", clean(finding.outcome));
    line("  evidence:");
    for (const Evidence& evidence : finding.evidence) print_evidence(evidence);
    if (finding.occurrences > 1) line("  seen {} times", finding.occurrences);
    if (!finding.benign.empty()) line("  harmless: {}", clean(finding.benign));
    if (const std::string command = next_command(finding); !command.empty()) line("  next: {}", command);
    out_ += '\n';
  }

  void steps(const Finding& finding) {
    const auto involved = [&](const FindingStep& step) {
      return std::ranges::find(finding.events, step.event) != finding.events.end();
    };
    const bool all = finding.steps.size() <= kMaxSteps;
    const bool any_involved = std::ranges::any_of(finding.steps, involved);
    std::size_t printed = 0;
    for (const FindingStep& one : finding.steps) {
      if (!all && (any_involved ? !involved(one) : printed == kMaxSteps)) continue;
      step(one);
      stack_of(finding, one.event);
      ++printed;
    }
    if (printed < finding.steps.size())
      line("  {} more steps: --json shows them", finding.steps.size() - printed);
    if (finding.steps.empty()) places(finding);
  }

  void step(const FindingStep& step) {
    std::string text =
        fmt::format("  {} by thread {} at {}", clean(step.operation), clean(step.thread), clean(step.place));
    if (!step.object.empty()) text += ", of " + clean(step.object);
    text += step.locks.empty()
                ? ", no locks held"
                : fmt::format(", holding {}", clean(fmt::format("{}", fmt::join(step.locks, ", "))));
    if (!step.value.empty()) text += ", value " + clean(step.value);
    if (step.event != 0) text += fmt::format(" (event {})", step.event);
    line("{}", text);
    excerpt(step.place);
  }

  /// Without an interleaving: just where.
  void places(const Finding& finding) {
    for (std::size_t i = 0; i < finding.places.size(); ++i) {
      const std::string by =
          i < finding.threads.size() ? " by thread " + clean(finding.threads[i]) : std::string();
      line("  at {}{}", clean(finding.places[i]), by);
      excerpt(finding.places[i]);
      if (i < finding.events.size()) stack_of(finding, finding.events[i]);
    }
  }

  void excerpt(const std::string& place) {
    const FileLine where = file_line(place);
    const std::string text = fold_white_space(sources_.line(where.file, where.line));
    if (!text.empty()) line("    {} {}", painted("2", fmt::format("{} |", where.line)), clean(text));
  }

  void stack_of(const Finding& finding, std::uint64_t event) {
    for (std::size_t i = 0; i < finding.stacks.size() && i < finding.events.size(); ++i) {
      if (finding.events[i] != event) continue;
      int number = 0;
      for (const Frame& frame : finding.stacks[i])
        line("    #{} {} {}", number++, clean(frame.function), clean(frame.place));
      return;
    }
  }

  void print_evidence(const Evidence& evidence) {
    std::string text = fmt::format("    {} by {}", to_string(evidence.verdict), clean(evidence.analysis));
    if (!evidence.scope.empty()) text += " in " + clean(evidence.scope);
    if (!evidence.guarantee.empty()) text += ": " + clean(evidence.guarantee);
    line("{}", text);
  }

  /// A schedule repeats the finding; without one, the caller knows what deepens it.
  std::string next_command(const Finding& finding) const {
    for (const Evidence& evidence : finding.evidence) {
      if (evidence.verdict != Verdict::Refuted && !evidence.schedule.empty()) {
        return clean("ravel replay " + shell_quoted(evidence.schedule));
      }
    }
    std::string command = context_.next_command;
    const auto fill_in = [&command](std::string_view word, const std::string& text) {
      if (const std::size_t at = command.find(word); at != std::string::npos)
        command.replace(at, word.size(), clean(shell_quoted(text)));
    };
    fill_in("{id}", finding.id);
    fill_in("{rule}", rule_name(finding));
    return command;
  }

  void summary(const std::vector<const Finding*>& shown,
               const std::map<Verdict, std::size_t, std::greater<>>& hidden) {
    if (shown.empty()) {
      line("SUMMARY: no findings{}", hidden.empty() ? "" : " to show");
    } else {
      line("SUMMARY: {} finding{}", shown.size(), shown.size() == 1 ? "" : "s");
    }
    for (const Finding* finding : shown) {
      const std::string what = finding->message.empty() ? headline(*finding) : clean(finding->message);
      const Verdict verdict = shown_verdict(*finding);
      const std::string by =
          finding->analysis().empty() ? std::string() : " by " + clean(finding->analysis());
      line("{}: {}: {} ({}{}) [{}]", summary_place(*finding),
           verdict == Verdict::Refuted ? "note" : "warning", what, to_string(verdict),
           verdict == Verdict::Refuted ? "" : by, rule_name(*finding));
    }
    if (hidden.empty()) return;
    std::size_t total = 0;
    std::vector<std::string> counts;
    for (const auto& [verdict, count] : hidden) {
      counts.push_back(fmt::format("{} {}", count, to_string(verdict)));
      total += count;
    }
    line("{} finding{} not shown; --show-all shows {}", fmt::join(counts, ", "), total == 1 ? "" : "s",
         total == 1 ? "it" : "them");
  }

  /// `file:line`; for a trace's own locations the trace and the event, which is where an editor can go.
  std::string summary_place(const Finding& finding) const {
    std::string place;
    if (!finding.places.empty()) {
      place = finding.places.front();
    } else if (!finding.steps.empty()) {
      place = finding.steps.front().place;
    }
    const FileLine where = file_line(place);
    if (!where.file.empty() && where.line != 0) return clean(place);
    const std::uint64_t event = finding.events.empty() ? where.line : finding.events.front();
    const std::string trace = clean(trace_of(finding));
    return event == 0 ? trace : fmt::format("{}:{}", trace, event);
  }

  std::string trace_of(const Finding& finding) const {
    if (context_.traces.size() == 1) return context_.traces.front();
    return finding.evidence.empty() || finding.evidence.front().scope.empty()
               ? "trace"
               : finding.evidence.front().scope;
  }

  const ReportContext& context_;
  SourceLines sources_;
  std::string out_;
};

}  // namespace

std::string rule_name(const Finding& finding) {
  std::string rule(to_string(finding.kind));
  if (finding.verdict() == Verdict::Suspected) rule += "-suspected";
  return rule;
}

std::string print_text(std::span<const Finding> findings, const ReportContext& context) {
  return TextPrinter(context).print(findings);
}

}  // namespace ravel

// ravel tiddle: what one can do with a trace written as Tiddle, besides analysing it.
#include "trace/tiddle.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "trace/format.h"
#include "trace/tiddle_program.h"
#include "trace/tiddle_text.h"
#include "witness/equivalents.h"
#include "witness/small_trace.h"

namespace ravel {
namespace {

constexpr std::string_view kFormat = "tiddle";
constexpr std::size_t kMostEvents = 1'000'000;  // a program of that many operations is beyond any compiler

constexpr std::pair<std::string_view, ProgramMode> kModes[] = {
    {"deterministic", ProgramMode::Deterministic},
    {"free", ProgramMode::Free},
    {"yield", ProgramMode::Yield},
    {"sleep", ProgramMode::Sleep},
};

class Tiddle : public Command {
 public:
  std::string_view name() const override { return "tiddle"; }
  std::string_view summary() const override { return "Make programs and other traces of a Tiddle trace"; }

  void define(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer("Example:\n  ravel tiddle compile --help");
    compile_ = app.add_subcommand(
        "compile",
        "Make a C++ program that runs exactly this trace\n\nThe program needs a C++20 compiler. "
        "With --print as its argument it prints each operation when it is done.");
    compile_->add_option("TRACE", input_, "Trace to compile")->required()->type_name("FILE");
    std::vector<std::string> modes;
    for (const auto& [mode, value] : kModes) modes.emplace_back(mode);
    compile_
        ->add_option("--mode", mode_,
                     "deterministic (the default) keeps the order of the trace; the others let the threads "
                     "run, give up "
                     "the processor or sleep between operations")
        ->type_name("MODE")
        ->check(one_of(std::move(modes)));
    add_output(*compile_, output_);
    compile_->footer(
        "Example:\n  ravel tiddle compile trace.tid -o trace.cpp && g++ -std=c++20 -pthread trace.cpp");

    equivalents_ = app.add_subcommand("equivalents",
                                      "List the traces that differ from this one only in the order of "
                                      "operations that do not conflict\n\nThe trace "
                                      "itself comes first.");
    equivalents_->add_option("TRACE", input_, "Trace to reorder")->required()->type_name("FILE");
    equivalents_->add_option("--limit", limit_, fmt::format("Stop after so many (without it {})", limit_))
        ->type_name("NUMBER")
        ->check(at_least_one());
    equivalents_->add_flag("--compile", as_program_,
                           "Make one C++ program that runs them all, one after the other");
    add_output(*equivalents_, output_);
    equivalents_->footer("Example:\n  ravel tiddle equivalents --limit 10 trace.tid");
  }

  Result<int> run(Session& session) override {
    auto reader = open_trace(input_, kFormat);
    if (!reader) return std::unexpected(reader.error());
    const auto trace = collect(**reader, kMostEvents);
    if (!trace) return std::unexpected(trace.error());
    for (const std::string& note : (*reader)->notes())
      session.console.note(fmt::format("{}: {}", input_, note));
    const auto text = compile_->parsed() ? compile(*trace) : equivalents(*trace, session.console);
    if (!text) {
      Error error = text.error();
      if (error.file.empty()) error.file = input_;
      return std::unexpected(error);
    }
    return session.console.deliver(*text, output_);
  }

 private:
  Result<std::string> compile(const SmallTrace& trace) const {
    ProgramMode mode = ProgramMode::Deterministic;
    for (const auto& [name, value] : kModes)
      if (name == mode_) mode = value;
    return compile_tiddle({trace.events, trace.tables}, mode);
  }

  Result<std::string> equivalents(const SmallTrace& trace, Console& console) const {
    std::vector<std::vector<Event>> traces;  // for the program
    std::string listing;
    std::uint64_t printed = 0;
    std::optional<Error> error;
    const auto visit = [&](std::span<const std::uint64_t> positions) {
      std::vector<Event> events;
      for (const std::uint64_t position : positions)
        events.push_back(trace.events[*trace.index_of(position)]);
      if (as_program_) {
        traces.push_back(std::move(events));
        return true;
      }
      const auto text = print(events, trace.tables);
      if (!text) {
        error = text.error();
        return false;
      }
      listing += fmt::format("{}# equivalent {}\n{}", listing.empty() ? "" : "\n", ++printed, *text);
      return true;
    };
    const EquivalentsCount count = for_each_equivalent(trace, limit_, visit);
    if (error) return std::unexpected(*error);
    if (!count.complete)
      console.note(fmt::format("{}: there are more than {} (see --limit)", input_, count.traces));
    if (!as_program_) return listing;
    std::vector<ProgramSource> sources;
    sources.reserve(traces.size());
    for (const auto& events : traces) sources.push_back({events, trace.tables});
    return compile_tiddle_many(sources);
  }

  static Result<std::string> print(std::span<const Event> events, const Tables& tables) {
    std::string text = fmt::format("# {}\n", kNoImpliedForks);
    ThreadNumbers numbers;
    TiddleLosses losses;
    for (const Event& event : events) {
      const auto line = tiddle_text(event, tables, numbers, losses);
      if (!line) return line;
      text += *line + "\n";
    }
    return text;
  }

  CLI::App* compile_ = nullptr;
  CLI::App* equivalents_ = nullptr;
  std::string input_;
  std::string output_;
  std::string mode_ = "deterministic";
  std::uint64_t limit_ = 1000;
  bool as_program_ = false;
};

const RegisterCommand<Tiddle> kRegister;

}  // namespace
}  // namespace ravel

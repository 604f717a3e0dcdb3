// The trial of ravel doctor: what a user does, done.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/doctor_checks.h"
#include "cli/subprocess.h"
#include "event/result.h"
#include "instrument/compiler.h"

namespace ravel {
namespace {

// No run orders the two increments.
constexpr std::string_view kProgram = R"(#include <pthread.h>
int trial_counter;
void* count(void*) {
  ++trial_counter;
  return nullptr;
}
int main() {
  pthread_t other;
  if (pthread_create(&other, nullptr, count, nullptr) != 0) return 1;
  count(nullptr);
  return pthread_join(other, nullptr);
}
)";

/// The first line of what a program said before it failed.
std::string complaint(const Finished& finished) {
  const std::string line = finished.errors.substr(0, finished.errors.find('\n'));
  return line.empty() ? fmt::format("exit code {}", finished.exit_code) : line;
}

struct Stage {
  std::string what;
  std::vector<std::string> command;
  int exit_code;
};

/// The first thing that goes wrong on the way to the findings, as JSON in `findings`.
Result<void> find_race(const std::string& compiler, const std::string& scratch, nlohmann::json& findings) {
  std::error_code error;
  const std::filesystem::path ravel = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string wrapper = (ravel.parent_path() / "ravel-c++").string();
  const std::string source = scratch + "/trial.cpp";
  const std::string program = scratch + "/trial";
  const std::string trace = scratch + "/trial.rvl";
  std::ofstream(source) << kProgram;
  const std::vector<Stage> stages{
      {"compiled",
       {wrapper, "--ravel-compiler=" + compiler, "-g", "-O1", "-pthread", source, "-o", program},
       0},
      {"recorded", {ravel.string(), "record", "-o", trace, "--", program}, 0},
      {"analysed", {ravel.string(), "analyze", "--json", trace}, kExitFindings},
  };
  std::string output;
  for (const Stage& stage : stages) {
    const auto done = run_program(stage.command, scratch);
    if (!done) return std::unexpected(done.error());
    // The program runs on when it cannot be recorded; ravel then says so, with another code.
    if (done->exit_code != stage.exit_code)
      return fail(fmt::format("a small program cannot be {}: {}", stage.what, complaint(*done)));
    output = done->output;
  }
  findings = nlohmann::json::parse(output, nullptr, false);
  if (findings.is_discarded()) return fail("the analysis of a small program printed no JSON");
  return {};
}

/// Whether the finding has names and lines: they come from the program's debug information.
bool has_names(const nlohmann::json& findings) {
  const std::string text = findings.dump();
  return text.contains("trial_counter") && text.contains("trial.cpp:4");
}

}  // namespace

std::vector<Check> check_by_trial(const std::string& scratch) {
  std::vector<Check> checks;
  const char* const wanted = std::getenv("RAVEL_COMPILER");
  const auto chosen = instrument::find_compiler(instrument::Language::Cxx, wanted == nullptr ? "" : wanted);
  if (!chosen) return checks;  // check_compilers has said it
  std::vector<std::string> compilers{chosen->path};
  for (const char* name : {"g++", "clang++"}) {
    const auto compiler = instrument::find_compiler(instrument::Language::Cxx, name);
    if (compiler && std::ranges::find(compilers, compiler->path) == compilers.end())
      compilers.push_back(compiler->path);
  }
  for (const std::string& compiler : compilers) {
    nlohmann::json findings;
    const auto found = find_race(compiler, scratch, findings);
    const bool by_default = compiler == chosen->path;
    if (!found) {
      checks.push_back({"trial", by_default ? Health::Problem : Health::Note,
                        fmt::format("with {}: {}", compiler, found.error().text()),
                        by_default
                            ? "see the other lines; another compiler: --ravel-compiler= or RAVEL_COMPILER"
                            : "nothing, unless you want to use this compiler"});
      continue;
    }
    checks.push_back(
        {"trial", Health::Ok, fmt::format("with {}: a race was compiled, recorded and found", compiler), {}});
    if (has_names(findings))
      checks.push_back({"debug-information", Health::Ok, fmt::format("of {} is understood", compiler), {}});
    else
      checks.push_back({"debug-information", Health::Note,
                        fmt::format("of {} is not understood: findings have addresses, not lines", compiler),
                        "compile with -g -gdwarf-5, and see docs/limits.md"});
  }
  return checks;
}

}  // namespace ravel

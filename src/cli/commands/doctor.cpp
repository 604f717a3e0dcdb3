// ravel doctor: does recording work on this machine, and if not, why?
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/doctor_checks.h"

namespace ravel {
namespace {

constexpr std::string_view kFooter =
    R"(Compiles a small program, records and analyses it, in a temporary directory, and
looks at what that needs. Each line begins with ok, note or problem. The exit code
is 0 if recording works, notes or not, and 2 if there is a problem.

Examples:
  ravel doctor
  ravel doctor --json | jq .works)";

std::string_view word_of(Health health) {
  switch (health) {
    case Health::Ok:
      return "ok";
    case Health::Note:
      return "note";
    case Health::Problem:
      return "problem";
  }
  return "";
}

/// A directory that goes away with its content.
class Scratch {
 public:
  explicit Scratch(const std::string& parent) : path_(parent + "/ravel-doctor-XXXXXX") {
    if (::mkdtemp(path_.data()) != nullptr) return;
    why_ = std::strerror(errno);
    path_.clear();
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }  ///< empty: it could not be made
  const std::string& why() const { return why_; }

 private:
  std::string path_;
  std::string why_;
};

std::string temporary_directory() {
  std::error_code error;
  const auto path = std::filesystem::temp_directory_path(error);
  if (!error) return path.string();
  const char* const variable = std::getenv("TMPDIR");
  return variable != nullptr ? variable : "/tmp";
}

void append(std::vector<Check>& checks, std::vector<Check> more) {
  checks.insert(checks.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<Check> examine() {
  const std::string temporary = temporary_directory();
  const Scratch scratch(temporary);
  std::vector<Check> checks = check_limits(temporary);
  append(checks, check_installation());
  if (scratch.path().empty()) {
    checks.push_back({"temporary-directory", Health::Problem, fmt::format("{}: {}", temporary, scratch.why()),
                      "set TMPDIR to a directory that you may write to"});
    return checks;
  }
  append(checks, check_compilers(scratch.path()));
  append(checks, check_by_trial(scratch.path()));
  return checks;
}

std::string as_text(const std::vector<Check>& checks, bool works) {
  std::string text;
  for (const Check& check : checks) {
    text += fmt::format("{:<8} {}: {}\n", word_of(check.health), check.name, check.found);
    if (!check.remedy.empty()) text += fmt::format("         what to do: {}\n", check.remedy);
  }
  text += works ? "\nRecording works. Next: ravel-c++ -g -O1 PROG.cpp -o PROG && ravel run -- ./PROG\n"
                : "\nRecording does not work here; see the lines that begin with \"problem\".\n";
  return text;
}

std::string as_json(const std::vector<Check>& checks, bool works) {
  nlohmann::json list = nlohmann::json::array();
  for (const Check& check : checks)
    list.push_back({{"name", check.name},
                    {"health", word_of(check.health)},
                    {"found", check.found},
                    {"remedy", check.remedy}});
  const nlohmann::json all{{"version", 1}, {"works", works}, {"checks", list}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class Doctor : public Command {
 public:
  std::string_view name() const override { return "doctor"; }
  std::string_view summary() const override {
    return "Check that programs can be compiled and recorded on this machine";
  }

  void define(CLI::App& app) override {
    app.add_flag("--json", json_, "Print the checks as JSON");
    app.footer(std::string(kFooter));
  }

  Result<int> run(Session& session) override {
    const std::vector<Check> checks = examine();
    const bool works =
        std::ranges::none_of(checks, [](const Check& check) { return check.health == Health::Problem; });
    const auto delivered = session.console.deliver(json_ ? as_json(checks, works) : as_text(checks, works));
    if (!delivered) return std::unexpected(delivered.error());
    return works ? 0 : kExitUsage;
  }

 private:
  bool json_ = false;
};

const RegisterCommand<Doctor> kRegister;

}  // namespace
}  // namespace ravel

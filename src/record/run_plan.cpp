#include "record/run_plan.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "record/temporary_folder.h"

namespace ravel {
namespace {

/// The exit code of a shell command in that directory (empty: ours).
int run_shell(const std::string& command, const std::string& directory) {
  std::string quoted;
  for (const char c : directory) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::string text = directory.empty() ? command : fmt::format("cd '{}' || exit\n{}", quoted, command);
  const int status = std::system(text.c_str());
  return status < 0 ? 127 : exit_code_of(status);
}

}  // namespace

std::string with_run_number(std::string text, unsigned number) {
  constexpr std::string_view kWord = "{run}";
  const std::string digits = std::to_string(number);
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at + digits.size()))
    text.replace(at, kWord.size(), digits);
  return text;
}

Result<RunEnd> RunPlan::run(unsigned number, const Follow& follow_process) const {
  FollowOptions options = follow;
  for (std::string& word : options.record.command) word = with_run_number(std::move(word), number);
  for (std::string& variable : options.record.environment)
    variable = with_run_number(std::move(variable), number);
  options.record.input = input.path();
  std::optional<TemporaryFolder> folder;
  if (fresh_directory) {
    const auto where = temporary_directory();
    if (!where) return std::unexpected(where.error());
    auto made = TemporaryFolder::make(*where);
    if (!made) return std::unexpected(made.error());
    folder.emplace(std::move(*made));
    std::string& program = options.record.command[0];
    if (program.contains('/'))
      program = std::filesystem::absolute(std::filesystem::path(options.record.working_directory) / program)
                    .string();
    options.record.working_directory = folder->path();
  }
  if (!before.empty()) {
    const int code = run_shell(with_run_number(before, number), options.record.working_directory);
    if (code != 0)
      return fail(fmt::format("the command before the run failed with exit code {}", code), before);
  }
  auto end = run_recorded(options, follow_process);
  if (!after.empty()) {
    const int code = run_shell(with_run_number(after, number), options.record.working_directory);
    if (code != 0 && note)
      note(fmt::format("{}: the command after the run failed with exit code {}", after, code));
  }
  return end;
}

}  // namespace ravel

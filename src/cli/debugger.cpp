#include "cli/debugger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/arguments.h"
#include "record/temporary_folder.h"

namespace ravel {
namespace {

/// gdb's command line. The runtime is put into the program alone, not into gdb or the shell that gdb starts.
std::vector<std::string> gdb_command(const RecordOptions& record, const std::vector<std::string>& variables) {
  std::vector<std::string> wrapper = {"env"};
  wrapper.insert(wrapper.end(), record.environment.begin(), record.environment.end());
  wrapper.insert(wrapper.end(), variables.begin(), variables.end());
  std::string arguments =
      fmt::format("set args {}", fmt::join(shell_words(std::span(record.command).subspan(1)), " "));
  if (!record.input.empty()) arguments += " < " + shell_words(std::vector{record.input})[0];
  const std::vector<std::string> commands = {
      "set breakpoint pending on",
      "handle SIGSYS nostop noprint",  // how the runtime learns of system calls (runtime/raw_calls.h)
      "set exec-wrapper " + fmt::format("{}", fmt::join(shell_words(wrapper), " ")),
      arguments,
      "break ravel_decisive_step",
      "run",
  };
  std::vector<std::string> words = {"gdb", "-q"};
  for (const std::string& command : commands) {
    words.emplace_back("-ex");
    words.push_back(command);
  }
  words.push_back(record.command[0]);
  return words;
}

}  // namespace

Result<int> run_in_debugger(const RunPlan& plan) {
  const auto folder = TemporaryFolder::make(plan.follow.directory);
  if (!folder) return std::unexpected(folder.error());
  RecordOptions record = plan.follow.record;
  record.input = plan.input.path();
  const auto variables = runtime_variables(record, folder->path());
  if (!variables) return std::unexpected(variables.error());
  std::vector<std::string> words = gdb_command(record, *variables);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!record.working_directory.empty())
    posix_spawn_file_actions_addchdir_np(&actions, record.working_directory.c_str());
  const auto old = signal(SIGINT, SIG_IGN);  // Ctrl-C is for gdb
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int why = posix_spawnp(&child, "gdb", &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (why == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  signal(SIGINT, old);
  if (why != 0) return fail(fmt::format("cannot run it: {}", std::strerror(why)), "gdb");
  return exit_code_of(status);
}

}  // namespace ravel

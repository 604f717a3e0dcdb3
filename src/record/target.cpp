#include "record/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ravel {
namespace {

std::string_view level_name(FilterLevel filter) {
  switch (filter) {
    case FilterLevel::None:
      return "none";
    case FilterLevel::Segment:
      return "segment";
    case FilterLevel::Owner:
      return "owner";
  }
  return "";
}

/// A value of RAVEL_OPTIONS (runtime/options.h).
std::string option_value(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == ':' || c == '%')
      text += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else
      text += c;
  }
  return text;
}

std::vector<std::string> environment(const RecordOptions& options, const std::string& directory,
                                     const std::string& library) {
  std::vector<std::string> all;
  std::string preload = library;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("LD_PRELOAD=")) {
      if (const std::string_view others = text.substr(11); !others.empty())
        preload += fmt::format(":{}", others);
    } else if (!text.starts_with("RAVEL_OPTIONS=")) {
      all.emplace_back(text);
    }
  }
  // Also for a program that is linked with the runtime: an instrumented library in any host is then seen,
  // too.
  all.push_back("LD_PRELOAD=" + preload);
  all.push_back(fmt::format("RAVEL_OPTIONS=record={}:filter={}:max-size={}", option_value(directory),
                            level_name(options.filter), options.max_bytes));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Result<std::string> runtime_library() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto prefix = self.parent_path().parent_path();
  for (const char* place : {"lib/libravel_rt.so", "lib/ravel/libravel_rt.so"}) {
    const auto path = prefix / place;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return fail(fmt::format("the runtime libravel_rt.so is not in {}: is ravel installed completely?",
                          (prefix / "lib").string()));
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

Result<pid_t> start_target(const RecordOptions& options, const std::string& directory) {
  const auto library = runtime_library();
  if (!library) return std::unexpected(library.error());
  std::vector<std::string> words = options.command;
  std::vector<std::string> variables = environment(options, directory, *library);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment_pointers = pointers(variables);

  // Tells whether the program could be started: closed by a successful exec, else it brings errno.
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0)
    return fail(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) {
    close(failure[0]);
    close(failure[1]);
    return fail(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  if (child == 0) {
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
    execvpe(arguments[0], arguments.data(), environment_pointers.data());
    const int why = errno;
    [[maybe_unused]] const auto told = write(failure[1], &why, sizeof why);
    _exit(127);
  }
  close(failure[1]);
  int why = 0;
  const bool failed = read(failure[0], &why, sizeof why) == sizeof why;
  close(failure[0]);
  if (!failed) return child;
  waitpid(child, nullptr, 0);
  return fail(fmt::format("cannot run it: {}", std::strerror(why)), options.command[0]);
}

}  // namespace ravel

#include "record/target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "record/file_descriptor.h"

namespace ravel {
namespace {

std::string_view level_name(FilterLevel filter) {
  switch (filter) {
    case FilterLevel::None:
      return "none";
    case FilterLevel::Segment:
      return "segment";
    case FilterLevel::All:
      return "all";
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

/// Our environment with the changes, which win; the last one of a name counts.
std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all;
  const auto add = [&all](std::string_view text) {
    const std::string_view name = text.substr(0, text.find('=') + 1);
    std::erase_if(all, [name](const std::string& known) { return !name.empty() && known.starts_with(name); });
    all.emplace_back(text);
  };
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const std::string& change : changes) add(change);
  return all;
}

/// What makes OpenMP's threads wait at once in a controlled run. They would look for a while first whether
/// somebody comes, and meanwhile nobody can: g++'s libgomp counts, LLVM's libomp goes by the clock.
constexpr std::string_view kUnhurried[] = {"GOMP_SPINCOUNT=0", "KMP_BLOCKTIME=0"};

bool is_set(std::string_view name, const std::vector<std::string>& changes) {
  return std::getenv(std::string(name).c_str()) != nullptr ||
         std::ranges::any_of(changes, [name](const std::string& change) {
           return change.starts_with(name) && change.substr(name.size()).starts_with('=');
         });
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

Result<std::vector<std::string>> runtime_variables(const RecordOptions& options,
                                                   const std::string& directory) {
  const auto library = runtime_library();
  if (!library) return std::unexpected(library.error());
  std::string preload = *library;
  // Also for a program that is linked with the runtime: an instrumented library in any host is then seen,
  // too.
  std::string_view others;
  for (const std::string& change : options.environment)
    if (change.starts_with("LD_PRELOAD=")) others = std::string_view(change).substr(11);
  if (const char* const ours = std::getenv("LD_PRELOAD"); others.empty() && ours != nullptr) others = ours;
  if (!others.empty()) preload += fmt::format(":{}", others);
  std::string text = fmt::format("record={}:filter={}:max-size={}", option_value(directory),
                                 level_name(options.filter), options.max_bytes);
  if (!options.schedule.empty()) text += ":schedule=" + option_value(options.schedule);
  std::vector<std::string> variables{"LD_PRELOAD=" + preload, "RAVEL_OPTIONS=" + text};
  if (options.schedule.empty()) return variables;
  for (const std::string_view variable : kUnhurried)
    if (!is_set(variable.substr(0, variable.find('=')), options.environment))
      variables.emplace_back(variable);
  return variables;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

Result<pid_t> start_target(const RecordOptions& options, const std::string& directory) {
  const auto ours = runtime_variables(options, directory);
  if (!ours) return std::unexpected(ours.error());
  std::vector<std::string> words = options.command;
  std::vector<std::string> changes = options.environment;
  changes.insert(changes.end(), ours->begin(), ours->end());
  std::vector<std::string> variables = changed_environment(changes);
  const std::vector<char*> arguments = pointers(words);
  const std::vector<char*> environment_pointers = pointers(variables);
  std::error_code error;
  if (!options.working_directory.empty() && !std::filesystem::is_directory(options.working_directory, error))
    return fail("there is no such directory to run the program in", options.working_directory);
  const FileDescriptor input(options.input.empty() ? -1 : open(options.input.c_str(), O_RDONLY | O_CLOEXEC));
  if (!options.input.empty() && input.number() < 0)
    return fail(fmt::format("cannot read: {}", std::strerror(errno)), options.input);

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
    constexpr unsigned long kAsk = 0xffffffff;
    if (!options.schedule.empty())
      personality(static_cast<unsigned long>(personality(kAsk)) | ADDR_NO_RANDOMIZE);
    if ((input.number() < 0 || dup2(input.number(), STDIN_FILENO) >= 0) &&
        (options.working_directory.empty() || chdir(options.working_directory.c_str()) == 0))
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

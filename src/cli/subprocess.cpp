#include "cli/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "record/target.h"

namespace ravel {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    bool changed = false;
    for (const std::string& change : changes) changed |= change.starts_with(name);
    if (!changed) all.emplace_back(text);
  }
  return all;
}

}  // namespace

Result<Finished> run_program(const std::vector<std::string>& command, const std::string& directory,
                             const std::vector<std::string>& environment) {
  // Files, not pipes: whatever the program leaves running cannot keep us waiting for its output.
  const std::string output = directory + "/output";
  const std::string errors = directory + "/errors";
  std::vector<std::string> words = command;
  std::vector<std::string> variables = environment_with(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kNewFile, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), kNewFile, 0600);
  pid_t child = 0;
  const int why = posix_spawnp(&child, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                               pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (why != 0) return fail(fmt::format("cannot run it: {}", std::strerror(why)), words[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return fail(fmt::format("cannot wait for it: {}", std::strerror(errno)), words[0]);
  }
  return Finished{exit_code_of(status), content(output), content(errors)};
}

}  // namespace ravel

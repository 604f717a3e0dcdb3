// Command: the seam behind which every subcommand lives.
//
// To write one: derive from Command in a file of its own under src/cli/commands/, describe its arguments in
// define() with CLI11 (bind them to members; give every value a type name and end with a footer that holds an
// example), do the work in run(), and register the class at the end of the file:
//
//   const RegisterCommand<Analyze> kRegister;
//
// Help, man page and shell completions are printed from what define() says, so there is nothing else to keep
// up to date.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"
#include "event/result.h"

namespace ravel {

/// What a running command may use besides its own arguments.
struct Session {
  Console& console;
  const CLI::App& root;  ///< the whole tree, for commands that print it
};

class Command {
 public:
  virtual ~Command() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  ///< one line, no full stop
  virtual void define(CLI::App& app) = 0;
  /// The exit code, or what went wrong.
  virtual Result<int> run(Session& session) = 0;
  /// For commands that hand all their arguments, whatever they look like, to another program: called before
  /// anything is parsed. Nothing: parse and run() as usual.
  virtual std::optional<Result<int>> take_over(std::span<const std::string> /*arguments*/) { return {}; }
};

/// All commands, by name.
std::span<const std::unique_ptr<Command>> commands();

void register_command(std::unique_ptr<Command> command);

/// A static object of this type makes the command known.
template <typename T>
struct RegisterCommand {
  RegisterCommand() { register_command(std::make_unique<T>()); }
};

/// A value that must be one of `choices`.
CLI::Validator one_of(std::vector<std::string> choices);

/// A whole number from 1 on.
CLI::Validator at_least_one();

}  // namespace ravel

#include "cli/cli.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/nearest.h"
#include "cli/page.h"
#include "cli/page_printers.h"
#include "trace/output_file.h"
#include "version.h"

namespace ravel {
namespace {

constexpr std::string_view kSummary = "Find concurrency errors in C and C++ programs by running them";
constexpr std::string_view kDetails =
    "ravel compiles a program so that it tells what its threads do, records a run of it, and reports the "
    "data "
    "races of that run. It reads traces of other tools, too. Each finding says how sure ravel is (its "
    "verdict) "
    "and why.";
constexpr std::string_view kFooter = R"(Exit codes:
  0   no finding at or above --fail-on; commands that run a program: its own
  66  a finding at or above --fail-on
  2   wrong usage or bad input
  70  ravel itself failed

Environment:
  NO_COLOR        if set and not empty, no colours even on a terminal
  RAVEL_COMPILER  the compiler that ravel-cc and ravel-c++ use
  RAVEL_OPTIONS   in a program's environment: record=DIR makes it record itself
  TMPDIR          where recordings live while ravel run reads them

Example:
  ravel-c++ -g -O1 examples/bank.cpp -o bank
  ravel run -- ./bank)";

// Were one of the three standard descriptors closed, the next file we open would take its number and our
// output would land in it. /dev/null opened the wrong way round keeps the number busy and still fails every
// write.
void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return;
  }
}

// Ends the process as the signal would have, without leaving half-written files behind.
void end_by_signal(int signal) {
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Who started us may have asked to ignore it (nohup).
    if (std::signal(signal, end_by_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

// The deepest command the arguments have named.
const CLI::App& selected(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : selected(*below.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

// CLI11 would say "a subcommand is required" for a mistyped one; a name that is no command deserves its own
// answer.
Result<void> check_command_names(const CLI::App& root, std::span<const std::string> arguments) {
  const CLI::App* app = &root;
  for (const std::string& argument : arguments) {
    std::vector<std::string> names;
    const CLI::App* next = nullptr;
    for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
      if (command->get_name() == argument) next = command;
    }
    if (names.empty() || argument.starts_with('-')) return {};
    if (next == nullptr)
      return fail(fmt::format("unknown command '{} {}'{} (see {} --help)", full_name(*app), argument,
                              did_you_mean(argument, names), full_name(*app)));
    app = next;
  }
  return {};
}

std::string parse_error_text(const CLI::ParseError& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extra = app.remaining();
    const std::string first = extra.empty() ? std::string() : extra.front();
    if (!first.starts_with('-')) return fmt::format("unexpected argument '{}'", first);
    std::vector<std::string> names;
    for (const PageOption& option : describe(app).options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    return fmt::format("unknown option '{}'{}", first, did_you_mean(first, names));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
      !app.get_subcommands([](const CLI::App*) { return true; }).empty())
    return "which command?";
  return error.what();
}

struct Tree {
  CLI::App root{std::string(kSummary) + "\n\n" + std::string(kDetails), "ravel"};
  bool man = false;
  std::vector<CLI::App*> apps;  ///< as commands()

  Tree() {
    root.formatter_fn([](const CLI::App* app, const std::string&, CLI::AppFormatMode) {
      return print_help(describe(*app));
    });
    root.set_help_flag("-h,--help", "Print this help");
    root.set_version_flag("--version", fmt::format("ravel {}", kVersion), "Print the version");
    root.add_flag("--man", man, "Print the man page (as `ravel man`)");
    root.footer(std::string(kFooter));
    for (const auto& command : commands()) {
      CLI::App* app = root.add_subcommand(std::string(command->name()), std::string(command->summary()));
      command->define(*app);
      apps.push_back(app);
    }
  }
};

int finish(Console& console, const Result<int>& result) {
  if (result) return *result;
  if (!result.error().message.empty()) console.error(result.error().text());
  return result.error().exit_code;
}

Result<int> run(int argc, const char* const* argv, Console& console) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  for (const auto& command : commands()) {
    if (arguments.empty() || command->name() != arguments[0]) continue;
    if (auto taken = command->take_over(std::span(arguments).subspan(1))) return *std::move(taken);
  }
  Tree tree;
  if (auto known = check_command_names(tree.root, arguments); !known) return std::unexpected(known.error());
  try {
    tree.root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return console.deliver(tree.root.help());
  } catch (const CLI::CallForVersion& version) {
    return console.deliver(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    const CLI::App& app = selected(tree.root);
    return fail(fmt::format("{} (see {} --help)", parse_error_text(error, app), full_name(app)));
  }
  if (tree.man) return console.deliver(print_man(describe(tree.root), kVersion));
  for (std::size_t i = 0; i < tree.apps.size(); ++i) {
    if (!tree.apps[i]->parsed()) continue;
    Session session{console, tree.root};
    return commands()[i]->run(session);
  }
  return fail("which command? (see ravel --help)");
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  hold_standard_descriptors();
  handle_signals();
  Console console;
  try {
    return finish(console, run(argc, argv, console));
  } catch (const std::bad_alloc&) {
    console.error("internal error: out of memory");
  } catch (const std::exception& error) {
    console.error(fmt::format("internal error: {}", error.what()));
  }
  return kExitInternal;
}

}  // namespace ravel

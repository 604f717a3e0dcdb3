// Page: what one command's CLI11 definition says, as plain data. Help, man page and completions print it;
// none of them knows a command, so none can go stale.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ravel {

struct PageOption {
  std::vector<std::string> names;    ///< "-o", "--output"; of a positional: its one name, "TRACE"
  std::string value;                 ///< "FILE"; empty for a flag
  std::vector<std::string> choices;  ///< what the value may be; empty: anything
  std::string help;
  bool required = false;
  bool repeated = false;
  bool list = false;  ///< the value is a comma-separated list of choices
};

struct Page {
  std::string name;     ///< "ravel tiddle compile"
  std::string summary;  ///< one line
  std::string details;  ///< may be empty
  std::vector<PageOption> positionals;
  std::vector<PageOption> options;
  std::string footer;  ///< examples
  std::vector<Page> commands;
};

/// The page of `app` with those of its subcommands below it.
Page describe(const CLI::App& app);

/// "ravel analyze [OPTIONS] TRACE..."
std::string usage(const Page& page);

/// "-o, --output FILE"
std::string option_heading(const PageOption& option);

}  // namespace ravel

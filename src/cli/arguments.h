// Arguments that several commands share: the same option has the same name, help and checks everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/finding.h"

namespace ravel {

/// An option (--from, --to) that names a trace format.
void add_format(CLI::App& app, const std::string& name, std::string& format, const std::string& help);

/// -o, --output FILE.
void add_output(CLI::App& app, std::string& path);

/// A comma-separated list of analyses; "all" and "default" stand for several.
CLI::Validator analysis_list();

/// The rungs of the ladder, lowest first.
std::vector<std::string> verdict_names();

/// The words as a shell must be given them.
std::vector<std::string> shell_words(std::span<const std::string> words);

}  // namespace ravel

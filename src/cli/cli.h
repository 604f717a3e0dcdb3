// run_cli: from argv to exit code.
#pragma once

namespace ravel {

/// Parses the command line, runs the command and turns what went wrong into one line on standard error.
int run_cli(int argc, const char* const* argv);

}  // namespace ravel

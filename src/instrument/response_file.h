// Response files: "@file" on a compiler's command line stands for the arguments written in the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ravel::instrument {

/// Splits text as gcc and clang split a response file: at white space; '...' and "..." keep it; a backslash,
/// also between quotes, keeps the character after it.
std::vector<std::string> split_response(std::string_view text);

/// The arguments that `argument` stands for: those of the file if it is "@file" and the file can be read,
/// with the files named there expanded too; otherwise the argument itself, as the compilers do.
std::vector<std::string> expand_response(const std::string& argument);

}  // namespace ravel::instrument

// Spelling help for mistyped names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ravel {

/// Least number of insertions, deletions, replacements and swaps of neighbours that make one word of the
/// other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name most like `word`; empty if none is alike.
std::string_view nearest(std::string_view word, std::span<const std::string> names);

/// "; did you mean 'analyze'?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace ravel

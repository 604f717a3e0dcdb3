// Errors as values. Every user or I/O error travels up to cli/ as an Error and becomes one line and an exit
// code there.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace ravel {

inline constexpr int kExitUsage = 2;      ///< wrong usage or bad input
inline constexpr int kExitFindings = 66;  ///< a finding at or above --fail-on
inline constexpr int kExitInternal = 70;  ///< ravel itself failed

/// What went wrong, where in the user's input (if anywhere), and the exit code it deserves.
struct Error {
  std::string message;
  std::string file;        ///< empty: not about a file
  std::uint64_t line = 0;  ///< 1-based; 0: not about a line
  int exit_code = kExitUsage;

  /// "file:line: message", leaving out what is not known.
  std::string text() const;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message, std::string file = {}, std::uint64_t line = 0) {
  return std::unexpected(Error{std::move(message), std::move(file), line});
}

}  // namespace ravel

// Console: ravel's side of the conversation. Results go to standard output, everything else to standard
// error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "event/result.h"

namespace ravel {

/// Owned by run_cli, used by one thread.
class Console {
 public:
  Console();

  /// No notes and no progress from here on. Errors are still told.
  void set_quiet(bool quiet) { quiet_ = quiet; }

  /// Standard output is a terminal that wants colour.
  bool color() const { return color_; }

  /// "ravel: note: TEXT" on standard error.
  void note(std::string_view text);
  /// "ravel: TEXT" on standard error.
  void error(std::string_view text);

  /// "ravel: TRACE: 1234567 events" on a terminal, rewritten in place a few times a second.
  void progress(std::string_view trace, std::uint64_t events);
  /// Takes the progress line away.
  void end_progress();

  /// Writes `text` to `path` (by rename: nothing half-written is ever seen there), or to standard output if
  /// it is empty or "-". Gives 0, the exit code of a command whose result this was.
  Result<int> deliver(std::string_view text, const std::string& path = {});

 private:
  bool quiet_ = false;
  bool color_ = false;
  bool terminal_ = false;  ///< standard error is one
  bool progress_shown_ = false;
  std::chrono::steady_clock::time_point next_progress_;
};

}  // namespace ravel

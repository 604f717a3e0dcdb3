#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "trace/output_file.h"

namespace ravel {
namespace {

constexpr auto kProgressInterval = std::chrono::milliseconds(200);
constexpr int kExitPipe = 128 + SIGPIPE;  // what a shell reports for a process that SIGPIPE killed

bool wants_color() {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: any value but the empty one
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

Result<void> write_standard_output(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) {
      // Whoever read our output has enough; that is no error to tell anybody about.
      return std::unexpected(Error{.message = {}, .file = {}, .line = 0, .exit_code = kExitPipe});
    }
    if (written < 0) return fail(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> write_file(std::string_view text, const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = file->write(text); !written) return written;
  return file->commit();
}

}  // namespace

Console::Console() : color_(wants_color()), terminal_(::isatty(STDERR_FILENO) != 0) {}

void Console::note(std::string_view text) {
  if (quiet_) return;
  end_progress();
  fmt::print(stderr, "ravel: note: {}\n", text);
}

void Console::error(std::string_view text) {
  end_progress();
  fmt::print(stderr, "ravel: {}\n", text);
}

void Console::progress(std::string_view trace, std::uint64_t events) {
  if (quiet_ || !terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_progress_) return;
  // Nothing for the first interval: a short trace needs no progress.
  const bool first = next_progress_ == std::chrono::steady_clock::time_point();
  next_progress_ = now + kProgressInterval;
  if (first) return;
  fmt::print(stderr, "\r\033[Kravel: {}: {} events", trace, events);
  std::fflush(stderr);
  progress_shown_ = true;
}

void Console::end_progress() {
  if (!progress_shown_) return;
  fmt::print(stderr, "\r\033[K");
  progress_shown_ = false;
}

Result<int> Console::deliver(std::string_view text, const std::string& path) {
  end_progress();
  const auto done = path.empty() || path == "-" ? write_standard_output(text) : write_file(text, path);
  if (!done) return std::unexpected(done.error());
  return 0;
}

}  // namespace ravel

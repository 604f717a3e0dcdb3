#include "trace/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "event/check.h"

namespace ravel {
namespace {

constexpr std::size_t kBufferBytes = 256 << 10;

// The names written aside, as a signal handler can read them: pointers, each set and cleared in one step. A
// file that finds no free slot is still removed by its destructor, only not by remove_unfinished_files().
std::array<std::atomic<const char*>, 16> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free);

void remember_unfinished(const std::string& name) {
  const char* copy = ::strdup(name.c_str());
  for (auto& slot : unfinished) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, copy)) return;
  }
  std::free(const_cast<char*>(copy));
}

void forget_unfinished(const std::string& name) {
  for (auto& slot : unfinished) {
    const char* known = slot.load();
    if (known == nullptr || name != known) continue;
    slot.store(nullptr);
    std::free(const_cast<char*>(known));
  }
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path, Appears appears) {
  if (path == "-") return OutputFile(path, path, {}, STDOUT_FILENO, appears);

  std::string final_path = path;
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return fail("cannot write: it is a directory", path);
    if (!S_ISREG(status.st_mode)) {
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor < 0) return fail(fmt::format("cannot write: {}", std::strerror(errno)), path);
      return OutputFile(path, path, {}, descriptor, appears);
    }
    std::error_code error;
    const auto followed = std::filesystem::canonical(path, error);
    if (!error) final_path = followed.string();
  }

  // The process id keeps two ravels apart, the counter two files of one.
  for (int attempt = 0;; ++attempt) {
    std::string temporary = fmt::format("{}.{}-{}.tmp", final_path, ::getpid(), attempt);
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      remember_unfinished(temporary);
      return OutputFile(path, std::move(final_path), std::move(temporary), descriptor, appears);
    }
    if (errno != EEXIST) return fail(fmt::format("cannot write: {}", std::strerror(errno)), path);
  }
}

OutputFile::OutputFile(std::string path, std::string final_path, std::string temporary, int descriptor,
                       Appears appears)
    : path_(std::move(path)),
      final_path_(std::move(final_path)),
      temporary_(std::move(temporary)),
      descriptor_(descriptor),
      appears_(appears) {
  buffer_.reserve(kBufferBytes);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      final_path_(std::move(other.final_path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      appears_(other.appears_),
      buffer_(std::move(other.buffer_)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    final_path_ = std::move(other.final_path_);
    temporary_ = std::exchange(other.temporary_, {});
    descriptor_ = std::exchange(other.descriptor_, -1);
    appears_ = other.appears_;
    buffer_ = std::move(other.buffer_);
  }
  return *this;
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_unfinished(temporary_);
  temporary_.clear();
}

std::unexpected<Error> OutputFile::failure(std::string_view action) const {
  return fail(fmt::format("{}: {}", action, std::strerror(errno)), path_);
}

Result<void> OutputFile::write(std::string_view bytes) {
  CHECK(descriptor_ >= 0, "written after commit");
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    if (auto flushed = flush(); !flushed) return flushed;
    if (bytes.size() >= kBufferBytes) return write_out(bytes);
  }
  buffer_ += bytes;
  return {};
}

Result<void> OutputFile::flush() {
  auto written = write_out(buffer_);
  buffer_.clear();
  return written && appears_ == Appears::AtOnce ? appear() : written;
}

Result<void> OutputFile::appear() {
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), final_path_.c_str()) != 0)
    return failure("cannot rename to its final name");
  forget_unfinished(temporary_);
  temporary_.clear();
  return {};
}

Result<void> OutputFile::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return failure("cannot write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> OutputFile::commit() {
  CHECK(descriptor_ >= 0, "committed twice");
  if (auto flushed = flush(); !flushed) return flushed;
  const int descriptor = std::exchange(descriptor_, -1);
  // Some file systems report a full disk only here.
  if (descriptor != STDOUT_FILENO && ::close(descriptor) != 0) return failure("cannot write");
  return appear();
}

void remove_unfinished_files() noexcept {
  for (const auto& slot : unfinished)
    if (const char* name = slot.load()) ::unlink(name);
}

}  // namespace ravel

#include "trace/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ravel {
namespace {

std::string reason(int error) {
  switch (error) {
    case ENOENT:
      return "no such file";
    case EISDIR:
      return "it is a directory, not a file";
    case EACCES:
      return "no permission to read it";
    default:
      return std::strerror(error);
  }
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  if (path == "-") return InputFile(path, STDIN_FILENO);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail(fmt::format("cannot read: {}", reason(errno)), path);
  InputFile file(path, descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    return fail(fmt::format("cannot read: {}", reason(EISDIR)), path);
  }
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  if (this != &other) {
    close();
    path_ = std::move(other.path_);
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

InputFile::~InputFile() { close(); }

void InputFile::close() {
  if (descriptor_ >= 0 && descriptor_ != STDIN_FILENO) ::close(descriptor_);
  descriptor_ = -1;
}

Result<std::size_t> InputFile::read(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t count = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count < 0) {
      if (errno == EINTR) continue;
      return fail(fmt::format("cannot read: {}", reason(errno)), path_);
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

Result<void> InputFile::rewind() {
  if (path_ == "-")
    return fail("standard input cannot be read a second time: save the trace to a file", path_);
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) {
    return fail("this source cannot be read a second time: save the trace to a file", path_);
  }
  return {};
}

}  // namespace ravel

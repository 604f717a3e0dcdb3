#include "record/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "record/temporary_folder.h"
#include "trace/output_file.h"

namespace ravel {
namespace {

constexpr int kPatience = 2000;  ///< milliseconds before the user is told that we wait

using HashState = std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)>;

/// A file without a name.
Result<FileDescriptor> unnamed_file() {
  const auto directory = temporary_directory();
  if (!directory) return std::unexpected(directory.error());
  std::string pattern = *directory + "/ravel-input-XXXXXX";
  FileDescriptor file(mkostemp(pattern.data(), O_CLOEXEC));
  if (file.number() < 0)
    return fail(fmt::format("cannot make a file here: {}", std::strerror(errno)), *directory);
  unlink(pattern.c_str());
  return file;
}

bool write_all(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

Result<Input> Input::take(int from, const std::string& name) {
  auto file = unnamed_file();
  if (!file) return std::unexpected(file.error());
  const HashState state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  Input input;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t size = read(from, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(fmt::format("cannot read: {}", std::strerror(errno)), name);
    if (size == 0) break;
    XXH3_64bits_update(state.get(), buffer.data(), static_cast<std::size_t>(size));
    if (!write_all(file->number(), buffer.data(), static_cast<std::size_t>(size)))
      return fail(fmt::format("cannot keep a copy of it: {}", std::strerror(errno)), name);
    input.size_ += static_cast<std::uint64_t>(size);
  }
  input.hash_ = fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
  input.file_ = std::move(*file);
  return input;
}

Result<Input> Input::spool(const std::function<void()>& waits) {
  struct stat status{};
  if (fstat(STDIN_FILENO, &status) != 0 || S_ISCHR(status.st_mode)) return Input();
  pollfd wait{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (poll(&wait, 1, kPatience) == 0) waits();
  return take(STDIN_FILENO, "standard input");
}

Result<Input> Input::copy(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return fail(fmt::format("cannot read: {}", std::strerror(errno)), path);
  return take(file.number(), path);
}

std::string Input::path() const {
  return spooled() ? fmt::format("/proc/{}/fd/{}", getpid(), file_.number()) : std::string();
}

Result<void> Input::save(const std::string& path) const {
  auto output = OutputFile::create(path);
  if (!output) return std::unexpected(output.error());
  std::array<char, 65536> buffer;
  for (std::uint64_t at = 0; at < size_;) {
    const ssize_t size = pread(file_.number(), buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (size <= 0) return fail("the copy of standard input is lost", path);
    if (auto written = output->write(std::string_view(buffer.data(), static_cast<std::size_t>(size)));
        !written)
      return written;
    at += static_cast<std::uint64_t>(size);
  }
  return output->commit();
}

}  // namespace ravel

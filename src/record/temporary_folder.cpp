#include "record/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace ravel {

Result<TemporaryFolder> TemporaryFolder::make(const std::string& directory) {
  std::string pattern = (std::filesystem::path(directory) / ".ravel-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    return fail(fmt::format("cannot make a folder here: {}", std::strerror(errno)), directory);
  return TemporaryFolder(std::filesystem::absolute(pattern).string());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::string> temporary_directory() {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error).string();
  if (!error) return path;
  const char* const variable = std::getenv("TMPDIR");
  return fail(fmt::format("no directory for temporary files: {}", error.message()),
              variable == nullptr ? "/tmp" : variable);
}

}  // namespace ravel

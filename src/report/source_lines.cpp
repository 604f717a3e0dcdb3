#include "report/source_lines.h"

#include <filesystem>
#include <fstream>

namespace ravel {

std::string_view SourceLines::line(const std::string& file, std::uint64_t number) {
  if (file.empty() || number == 0) return {};
  auto known = files_.find(file);
  if (known == files_.end()) known = files_.emplace(file, read(file)).first;
  const File& lines = known->second;
  if (number >= lines.starts.size()) return {};
  const std::size_t begin = lines.starts[number - 1];
  std::string_view text(lines.text.data() + begin, lines.starts[number] - begin);
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

SourceLines::File SourceLines::read(const std::string& file) const {
  const std::filesystem::path path = std::filesystem::path(directory_) / file;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > kMaxFileSize) return {};

  File result;
  result.text.resize(size);
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(result.text.data(), static_cast<std::streamsize>(size))) return {};
  result.starts.push_back(0);
  for (std::size_t end = result.text.find('\n'); end != std::string::npos;
       end = result.text.find('\n', end + 1)) {
    result.starts.push_back(end + 1);
  }
  if (result.starts.back() != size) result.starts.push_back(size);
  return result;
}

std::string fold_white_space(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";
  std::string folded;
  for (const char c : text) {
    if (kWhiteSpace.find(c) == std::string_view::npos) {
      folded += c;
    } else if (!folded.empty() && folded.back() != ' ') {
      folded += ' ';
    }
  }
  if (folded.ends_with(' ')) folded.pop_back();
  return folded;
}

}  // namespace ravel

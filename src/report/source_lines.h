// SourceLines: the text of a line of a source file, if it can be had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ravel {

/// Reads each file once. A file that is missing, is not a regular file (a trace may name anything) or is
/// bigger than kMaxFileSize has no lines: reports and ids do without. Owned by one thread; what line()
/// returns lives as long as this.
class SourceLines {
 public:
  static constexpr std::uintmax_t kMaxFileSize = 64 << 20;

  /// Relative file names are looked up in `directory`; empty: the current one.
  explicit SourceLines(std::string directory = {}) : directory_(std::move(directory)) {}

  /// Line `number` (from 1) without its end; empty if there is none.
  std::string_view line(const std::string& file, std::uint64_t number);

 private:
  struct File {
    std::string text;
    std::vector<std::size_t> starts;  ///< offset of each line, and one behind the last
  };

  File read(const std::string& file) const;

  std::string directory_;
  std::unordered_map<std::string, File> files_;  // values stay where they are
};

/// Without white space at the ends, and with one space for each run of it inside.
std::string fold_white_space(std::string_view text);

}  // namespace ravel

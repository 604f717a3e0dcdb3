// OutputFile: a file that appears under its name only when it is complete, unless it is of use before.
//
// It is written aside, in the same directory, and renamed by commit(). Destroyed before that it removes
// what it wrote, so an error half way leaves nothing behind and an older file of that name untouched. "-" is
// standard output, and a path that names a device or a pipe is written in place: there is nothing to rename.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "event/result.h"

namespace ravel {

class OutputFile {
 public:
  /// AtOnce: by the first flush(), and from then on what was written stays, whatever happens.
  enum class Appears : std::uint8_t { WhenComplete, AtOnce };

  static Result<OutputFile> create(const std::string& path, Appears appears = Appears::WhenComplete);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Buffered; an error may concern bytes of an earlier call.
  Result<void> write(std::string_view bytes);
  Result<void> write(std::span<const unsigned char> bytes) {
    return write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  /// Hands all buffered bytes to the system: a reader of a pipe sees them now, and one of a file that appears
  /// at once.
  Result<void> flush();

  /// The file appears under its name. Nothing may be written afterwards.
  Result<void> commit();

  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string final_path, std::string temporary, int descriptor,
             Appears appears);
  Result<void> write_out(std::string_view bytes);
  std::unexpected<Error> failure(std::string_view action) const;
  /// Under its name, if it is not there yet.
  Result<void> appear();
  void discard();

  std::string path_;        ///< as the user gave it, for messages
  std::string final_path_;  ///< with symbolic links followed, so that a link stays a link
  std::string temporary_;   ///< empty: it has its name already
  int descriptor_ = -1;
  Appears appears_;
  std::string buffer_;
};

/// Removes what all OutputFiles have written aside. Async-signal-safe, for the handler of a signal that ends
/// the process.
void remove_unfinished_files() noexcept;

}  // namespace ravel

// The notes of a stream: what its header and its modules are, line by line as the program adds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event/place.h"
#include "trace/header.h"
#include "trace/stream_file.h"
#include "trace/tables.h"

namespace ravel::stream {

class StreamNotes {
 public:
  /// All outlive this.
  StreamNotes(const StreamFile& file, TraceHeader& header, Tables& tables)
      : file_(file), header_(header), tables_(tables) {}

  /// Takes in the lines that are new since the last call. Those it does not understand are skipped, so that
  /// kinds of notes can be added to the format.
  void refresh();

  struct Code {
    ModuleId module;
    std::uint64_t offset;  ///< address as in the module's file
  };
  /// Where a unit of the code space lies; nothing: in no module that is known so far.
  std::optional<Code> find(std::uint32_t unit) const;

 private:
  struct Piece {
    std::uint64_t code;  ///< first unit
    ModuleId module;
  };
  void read_line(std::string_view line);
  void read_module(std::string_view words);
  void read_benign(std::string_view words);

  const StreamFile& file_;
  TraceHeader& header_;
  Tables& tables_;
  std::size_t read_ = 0;
  std::vector<Piece> pieces_;  ///< by code
};

}  // namespace ravel::stream

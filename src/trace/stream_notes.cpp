#include "trace/stream_notes.h"

#include <algorithm>

#include "event/stream.h"
#include "trace/note_words.h"

namespace ravel::stream {

void StreamNotes::refresh() {
  const std::string_view text = file_.notes();
  while (read_ < text.size()) {
    const std::size_t end = text.find('\n', read_);
    if (end == std::string_view::npos) return;
    read_line(text.substr(read_, end - read_));
    read_ = end + 1;
  }
}

void StreamNotes::read_line(std::string_view line) {
  std::string_view words = line;
  const std::string_view what = take_word(words);
  if (what == "module") return read_module(words);
  if (what == "instrumented") {
    header_.instrumented = true;
    return;
  }
  if (what == "unit") take_word(words);  // its number: they come in order
  const std::string text = unescape(take_word(words));
  if (what == "argument") {
    header_.command.push_back(text);
  } else if (what == "directory") {
    header_.directory = text;
  } else if (what == "environment") {
    header_.environment.push_back(text);
  } else if (what == "library") {
    header_.unseen_libraries.push_back(text);
  } else if (what == "unit") {
    tables_.units.push_back(text);
  }
}

void StreamNotes::read_module(std::string_view words) {
  std::uint64_t code = 0;
  Module module;
  if (!parse_number(take_word(words), code, 16) || !parse_number(take_word(words), module.base, 16) ||
      !parse_number(take_word(words), module.bias, 16) || !parse_number(take_word(words), module.size, 16)) {
    return;
  }
  module.build_id = unescape(take_word(words));
  if (module.build_id == "-") module.build_id.clear();
  module.path = unescape(words);
  if (!module.build_id.empty()) header_.build_ids.push_back(module.path + " " + module.build_id);
  const auto at = std::ranges::upper_bound(pieces_, code, {}, &Piece::code);
  pieces_.insert(at, {code, ModuleId(tables_.modules.size())});
  tables_.modules.push_back(std::move(module));
}

std::optional<StreamNotes::Code> StreamNotes::find(std::uint32_t unit) const {
  const auto behind = std::ranges::upper_bound(pieces_, std::uint64_t{unit}, {}, &Piece::code);
  if (behind == pieces_.begin()) return std::nullopt;
  const Piece& piece = *std::prev(behind);
  const Module& module = tables_.modules[piece.module.index()];
  // Within the call: the unit is that of the address behind it.
  const std::uint64_t distance = ((unit - piece.code) << kCodeShift) - 1;
  if (unit != piece.code && distance >= module.size) return std::nullopt;
  return Code{piece.module, module.base + distance - module.bias};
}

}  // namespace ravel::stream

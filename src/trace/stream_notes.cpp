#include "trace/stream_notes.h"

#include <algorithm>
#include <charconv>

#include "event/stream.h"

namespace ravel::stream {
namespace {

/// Takes the first word off `words`.
std::string_view take_word(std::string_view& words) {
  const std::size_t end = std::min(words.find(' '), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

bool parse_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value, 16);
  return error == std::errc() && end == text.end();
}

std::string unescape(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::uint64_t byte = 0;
    if (word[i] == '%' && i + 2 < word.size() && parse_hex(word.substr(i + 1, 2), byte)) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += word[i];
    }
  }
  return text;
}

}  // namespace

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
  if (!parse_hex(take_word(words), code) || !parse_hex(take_word(words), module.base) ||
      !parse_hex(take_word(words), module.bias) || !parse_hex(take_word(words), module.size)) {
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

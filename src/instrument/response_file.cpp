#include "instrument/response_file.h"

#include <fstream>
#include <iterator>
#include <utility>

namespace ravel::instrument {
namespace {

// A file that names itself would expand for ever; gcc stops as well, only later.
constexpr int kDeepest = 50;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

void expand(const std::string& argument, int depth, std::vector<std::string>& out) {
  std::ifstream file;
  if (argument.size() > 1 && argument.front() == '@' && depth < kDeepest) file.open(argument.substr(1));
  if (!file.is_open()) {
    out.push_back(argument);
    return;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const std::string& inner : split_response(text)) expand(inner, depth + 1, out);
}

}  // namespace

std::vector<std::string> split_response(std::string_view text) {
  std::vector<std::string> arguments;
  std::string current;
  bool inside = false;  // an argument has begun; "" is one, too
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && is_space(c)) {
      if (inside) arguments.push_back(std::exchange(current, {}));
      inside = false;
      continue;
    }
    inside = true;
    if (c == '\\') {
      if (++i < text.size()) current += text[i];
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      current += c;
    }
  }
  if (inside) arguments.push_back(current);
  return arguments;
}

std::vector<std::string> expand_response(const std::string& argument) {
  std::vector<std::string> out;
  expand(argument, 0, out);
  return out;
}

}  // namespace ravel::instrument

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/page_printers.h"

namespace ravel {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kWidestHeading = 26;

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string print_rows(std::string_view title, const Rows& rows) {
  if (rows.empty()) return {};
  std::size_t width = 0;
  for (const auto& [heading, help] : rows)
    if (heading.size() <= kWidestHeading) width = std::max(width, heading.size());
  std::string out = fmt::format("\n{}:\n", title);
  for (const auto& [heading, help] : rows) {
    out += "  " + heading;
    const std::size_t indent = width + 4;
    out += heading.size() > width ? "\n" + std::string(indent, ' ')
                                  : std::string(indent - 2 - heading.size(), ' ');
    out += wrap(help, indent) + "\n";
  }
  return out;
}

Rows option_rows(const std::vector<PageOption>& options) {
  Rows rows;
  for (const PageOption& option : options) {
    std::string help = option.help;
    if (!option.choices.empty()) help += fmt::format(": {}", fmt::join(option.choices, ", "));
    rows.emplace_back(option_heading(option), std::move(help));
  }
  return rows;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string print_help(const Page& page) {
  std::string out = fmt::format("{}\n\nUsage: {}\n", page.summary, usage(page));
  if (!page.details.empty()) {
    out += "\n";
    for (std::string_view rest = page.details; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      out += wrap(rest.substr(0, end), 0) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  Rows commands;
  for (const Page& command : page.commands)
    commands.emplace_back(command.name.substr(command.name.rfind(' ') + 1), command.summary);
  out += print_rows("Commands", commands);
  out += print_rows("Arguments", option_rows(page.positionals));
  out += print_rows("Options", option_rows(page.options));
  if (!page.footer.empty()) out += "\n" + page.footer + "\n";
  return out;
}

}  // namespace ravel

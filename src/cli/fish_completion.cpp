#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/page_printers.h"

namespace ravel {
namespace {

std::string quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// The fish condition under which the words of `page` are offered: its names typed, none of its commands yet.
std::string condition(const Page& page) {
  std::string out;
  const std::vector<std::string> path = CLI::detail::split(page.name, ' ');
  for (std::size_t i = 1; i < path.size(); ++i)
    out += fmt::format("{}__fish_seen_subcommand_from {}", out.empty() ? "" : "; and ", path[i]);
  if (page.commands.empty()) return out;
  out += fmt::format("{}not __fish_seen_subcommand_from", out.empty() ? "" : "; and ");
  for (const Page& command : page.commands) out += command.name.substr(command.name.rfind(' '));
  return out;
}

void print_page(const Page& page, std::string_view program, std::string& out) {
  const std::string start = fmt::format("complete -c {} -n {}", program, quote(condition(page)));
  for (const Page& command : page.commands)
    out += fmt::format("{} -f -a {} -d {}\n", start, command.name.substr(command.name.rfind(' ') + 1),
                       quote(command.summary));
  for (const PageOption& option : page.options) {
    out += start;
    for (const std::string& name : option.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) out += " -r";
    if (!option.choices.empty()) {
      const std::string words = fmt::format("{}", fmt::join(option.choices, " "));
      out += option.list ? fmt::format(" -f -a '(__fish_append , {})'", words)
                         : fmt::format(" -f -a '{}'", words);
    }
    out += fmt::format(" -d {}\n", quote(option.help));
  }
  for (const PageOption& positional : page.positionals)
    if (!positional.choices.empty())
      out += fmt::format("{} -f -a '{}'\n", start, fmt::join(positional.choices, " "));
  for (const Page& command : page.commands) print_page(command, program, out);
}

}  // namespace

std::string print_fish_completion(const Page& root) {
  std::string out =
      fmt::format("# fish completion for {}: put it into ~/.config/fish/completions.\n", root.name);
  print_page(root, root.name, out);
  return out;
}

}  // namespace ravel

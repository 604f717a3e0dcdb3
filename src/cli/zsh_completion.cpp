#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/page_printers.h"

namespace ravel {
namespace {

// Text inside a single-quoted specification of _arguments.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += fmt::format("\\{}", c);
    else
      out += c;
  }
  return out;
}

std::string function_name(const Page& page) {
  std::string name = "_" + page.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

std::string value_action(const PageOption& option) {
  if (option.choices.empty()) return "_files";
  if (option.list) return fmt::format("_values -s , {} {}", option.value, fmt::join(option.choices, " "));
  return fmt::format("({})", fmt::join(option.choices, " "));
}

std::string option_spec(const PageOption& option) {
  std::string tail = fmt::format("[{}]", escape(option.help));
  if (!option.value.empty()) tail += fmt::format(":{}:{}", escape(option.value), value_action(option));
  if (option.names.size() == 1) return fmt::format("'{}{}'", option.names.front(), tail);
  return fmt::format("'({})'{{{}}}'{}'", fmt::join(option.names, " "), fmt::join(option.names, ","), tail);
}

void print_function(const Page& page, std::string& out) {
  for (const Page& command : page.commands) print_function(command, out);
  std::vector<std::string> specs;
  specs.reserve(page.options.size() + page.positionals.size());
  for (const PageOption& option : page.options) specs.push_back(option_spec(option));
  for (const PageOption& positional : page.positionals)
    specs.push_back(fmt::format("'{}:{}:{}'", positional.repeated ? "*" : "",
                                escape(positional.names.front()), value_action(positional)));
  if (page.commands.empty()) {
    out +=
        fmt::format("{}() {{\n  _arguments {}\n}}\n\n", function_name(page), fmt::join(specs, " \\\n    "));
    return;
  }
  std::string names, cases;
  for (const Page& command : page.commands) {
    const std::string name = command.name.substr(command.name.rfind(' ') + 1);
    names += fmt::format("      '{}:{}'\n", name, escape(command.summary));
    cases += fmt::format("        {}) {} ;;\n", name, function_name(command));
  }
  out += fmt::format(R"({}() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C {} \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a names=(
{}      )
      _describe command names ;;
    argument)
      case $line[1] in
{}      esac ;;
  esac
}}

)",
                     function_name(page), fmt::join(specs, " \\\n    "), names, cases);
}

}  // namespace

std::string print_zsh_completion(const Page& root) {
  std::string out =
      fmt::format("#compdef {}\n# zsh completion: put this file as _{} into a directory of $fpath.\n\n",
                  root.name, root.name);
  print_function(root, out);
  // Autoloaded by compinit the file is the function's body; sourced it only has to register.
  return out + fmt::format("if [[ $funcstack[1] == _{0} ]]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n",
                           root.name);
}

}  // namespace ravel

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/page_printers.h"

namespace ravel {
namespace {

// Every name here is one of ours (letters, digits and "-_."), so double quotes are quoting enough.

void collect_paths(const Page& page, std::vector<std::string>& paths) {
  for (const Page& command : page.commands) {
    paths.push_back(fmt::format("\"{}\"", command.name));
    collect_paths(command, paths);
  }
}

// What may follow an option that takes a value.
void print_values(const Page& page, std::string& out) {
  for (const PageOption& option : page.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    patterns.reserve(option.names.size());
    for (const std::string& name : option.names)
      patterns.push_back(fmt::format("\"{} {}\"", page.name, name));
    out += fmt::format("    {}) ", fmt::join(patterns, " | "));
    if (option.choices.empty())
      out += "return ;;\n";  // file names, by `complete -o default`
    else
      out += fmt::format("_ravel_reply {} \"{}\" && return ;;\n", option.list ? "list" : "word",
                         fmt::join(option.choices, " "));
  }
  for (const Page& command : page.commands) print_values(command, out);
}

void print_words(const Page& page, std::string& out) {
  std::vector<std::string> words;
  words.reserve(page.commands.size());
  for (const Page& command : page.commands) words.push_back(command.name.substr(command.name.rfind(' ') + 1));
  for (const PageOption& positional : page.positionals)
    words.insert(words.end(), positional.choices.begin(), positional.choices.end());
  std::vector<std::string> options;
  for (const PageOption& option : page.options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  out += fmt::format("    \"{}\") words=\"{}\" options=\"{}\" ;;\n", page.name, fmt::join(words, " "),
                     fmt::join(options, " "));
  for (const Page& command : page.commands) print_words(command, out);
}

}  // namespace

std::string print_bash_completion(const Page& root) {
  std::vector<std::string> paths;
  collect_paths(root, paths);
  std::string values;
  print_values(root, values);
  std::string words;
  print_words(root, words);
  return fmt::format(R"(# bash completion for {0}: source this file, or put it where bash-completion finds it.

# _ravel_reply word|list CHOICES: offers the choices for $current, or for what stands behind its last comma.
_ravel_reply() {{
  local head=
  [[ $1 == list ]] && head=${{current%"${{current##*,}}"}}
  mapfile -t COMPREPLY < <(compgen -P "$head" -W "$2" -- "${{current#"$head"}}")
}}

_ravel() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command={0} words= options= i
  # bash splits --option=value into three words.
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
    {1}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
{2}  esac
  case "$command" in
{3}  esac
  if [[ $current == -* ]]; then _ravel_reply word "$options"; else _ravel_reply word "$words"; fi
}}

complete -o bashdefault -o default -F _ravel {0}
)",
                     root.name, fmt::join(paths, " | "), values, words);
}

}  // namespace ravel

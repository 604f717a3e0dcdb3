// The three ways a Page is shown.
#pragma once

#include <string>
#include <string_view>

#include "cli/page.h"

namespace ravel {

/// `text` in lines of at most 100 columns, those after the first indented.
std::string wrap(std::string_view text, std::size_t indent);

/// Plain text for --help: this page, its subcommands by their summaries.
std::string print_help(const Page& page);

/// The man page (man macros) of the whole tree.
std::string print_man(const Page& root, std::string_view version);

// Completion scripts of the whole tree.
std::string print_bash_completion(const Page& root);
std::string print_zsh_completion(const Page& root);
std::string print_fish_completion(const Page& root);

}  // namespace ravel

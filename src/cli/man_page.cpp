#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/page_printers.h"

namespace ravel {
namespace {

// Text that troff shall print as it stands: no escapes, no requests at line starts, hyphens that stay hyphens
// when copied.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string option_entry(const PageOption& option) {
  std::string out = ".TP\n";
  const bool positional = !option.names.front().starts_with('-');
  for (std::size_t i = 0; i < option.names.size(); ++i)
    out += fmt::format("{}\\f{}{}\\fR", i > 0 ? ", " : "", positional ? 'I' : 'B', escape(option.names[i]));
  if (!positional && !option.value.empty()) out += fmt::format(" \\fI{}\\fR", escape(option.value));
  if (positional && option.repeated) out += "...";
  out += "\n" + escape(option.help);
  if (!option.choices.empty()) out += escape(fmt::format(": {}", fmt::join(option.choices, ", ")));
  return out + ".\n";
}

// A footer is "Title:" lines with indented lines below them; the man page shows it as it is.
std::string literal(std::string_view text) { return fmt::format(".PP\n.nf\n{}\n.fi\n", escape(text)); }

void print_command(const Page& page, std::string& out) {
  out += fmt::format(".SS \"{}\"\n{}.\n", escape(usage(page)), escape(page.summary));
  if (!page.details.empty()) out += fmt::format(".PP\n{}\n", escape(page.details));
  for (const PageOption& option : page.positionals) out += option_entry(option);
  for (const PageOption& option : page.options) out += option_entry(option);
  if (!page.footer.empty()) out += literal(page.footer);
  for (const Page& command : page.commands) print_command(command, out);
}

}  // namespace

std::string print_man(const Page& root, std::string_view version) {
  std::string out =
      fmt::format(".TH RAVEL 1 \"\" \"{0} {1}\" \"User Commands\"\n", root.name, escape(version));
  out += fmt::format(".SH NAME\n{} \\- {}\n", root.name, escape(root.summary));
  out += fmt::format(".SH SYNOPSIS\n.B {}\n", escape(usage(root)));
  if (!root.details.empty()) out += fmt::format(".SH DESCRIPTION\n{}\n", escape(root.details));
  out += ".SH OPTIONS\n";
  for (const PageOption& option : root.options) out += option_entry(option);
  out += ".SH COMMANDS\n";
  for (const Page& command : root.commands) print_command(command, out);
  if (!root.footer.empty()) out += ".SH \"EXIT STATUS AND ENVIRONMENT\"\n" + literal(root.footer);
  return out;
}

}  // namespace ravel

#include "cli/page.h"

#include <fmt/format.h>

namespace ravel {
namespace {

// CLI11 has one string for a value's type and its validators' descriptions: "FORMAT:{rvl,std}",
// "LIST:[hb,shb]".
void read_type(const std::string& type, PageOption& option) {
  const std::size_t colon = type.find(':');
  option.value = type.substr(0, colon);
  if (colon == std::string::npos || type.size() < colon + 3) return;
  const char open = type[colon + 1];
  if (open != '{' && open != '[') return;
  option.list = open == '[';
  option.choices = CLI::detail::split(type.substr(colon + 2, type.size() - colon - 3), ',');
}

PageOption describe(const CLI::Option& option) {
  PageOption page;
  if (option.get_positional()) {
    page.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) page.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) page.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), page);
  page.help = option.get_description();
  page.required = option.get_required();
  page.repeated = option.get_items_expected_max() > 1;
  return page;
}

}  // namespace

Page describe(const CLI::App& app) {
  Page page;
  page.name = app.get_name();
  for (const CLI::App* parent = app.get_parent(); parent != nullptr; parent = parent->get_parent())
    page.name = parent->get_name() + " " + page.name;
  const std::string text = app.get_description();
  const std::size_t break_at = text.find("\n\n");
  page.summary = text.substr(0, break_at);
  if (break_at != std::string::npos) page.details = text.substr(break_at + 2);
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? page.positionals : page.options).push_back(describe(*option));
  page.footer = app.get_footer();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    page.commands.push_back(describe(*command));
  return page;
}

std::string usage(const Page& page) {
  std::string text = page.name;
  if (!page.options.empty()) text += " [OPTIONS]";
  for (const PageOption& positional : page.positionals) {
    const std::string name = positional.names.front() + (positional.repeated ? "..." : "");
    text += positional.required ? " " + name : fmt::format(" [{}]", name);
  }
  if (!page.commands.empty()) text += " COMMAND ...";
  return text;
}

std::string option_heading(const PageOption& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  const bool positional = !option.names.front().starts_with('-');
  if (!option.value.empty() && !positional) text += " " + option.value;
  if (positional && option.repeated) text += "...";
  return text;
}

}  // namespace ravel

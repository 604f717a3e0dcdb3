#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace ravel {
namespace {

std::vector<std::unique_ptr<Command>>& registry() {
  static std::vector<std::unique_ptr<Command>> commands;
  return commands;
}

}  // namespace

std::span<const std::unique_ptr<Command>> commands() { return registry(); }

void register_command(std::unique_ptr<Command> command) {
  auto& all = registry();
  const auto at =
      std::ranges::upper_bound(all, command->name(), {}, [](const auto& each) { return each->name(); });
  all.insert(at, std::move(command));
}

CLI::Validator one_of(std::vector<std::string> choices) {
  // page.cpp reads the choices back from this description, for help and completions.
  std::string description = fmt::format("{{{}}}", fmt::join(choices, ","));
  return CLI::Validator(
      [choices = std::move(choices)](const std::string& value) -> std::string {
        if (std::ranges::find(choices, value) != choices.end()) return {};
        return fmt::format("'{}' is none of {}", value, fmt::join(choices, ", "));
      },
      std::move(description));
}

CLI::Validator at_least_one() {
  return CLI::Validator(
      [](const std::string& value) -> std::string {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        const bool whole = error == std::errc() && end == value.data() + value.size();
        return whole && number > 0 ? "" : fmt::format("'{}' is no whole number from 1 on", value);
      },
      "");
}

}  // namespace ravel

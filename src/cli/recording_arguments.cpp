#include "cli/recording_arguments.h"

#include <fmt/format.h>

#include "cli/command.h"

namespace ravel {

void RecordingArguments::define(CLI::App& app) {
  app.add_option("PROG", command_, "The program and its arguments, after --")
      ->required()
      ->type_name("ARGS...");
  app.add_option(
         "--filter", filter_,
         "Which accesses may be left out: owner (those to memory of one thread), segment (repetitions "
         "between two synchronizations), none")
      ->type_name("LEVEL")
      ->check(one_of({"owner", "segment", "none"}));
  app.add_option("--max-size", max_bytes_,
                 "Largest recording of one process; it ends there, the program goes on")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false));
}

RecordOptions RecordingArguments::options() const {
  RecordOptions options;
  options.command = command_;
  options.filter = filter_ == "none"      ? FilterLevel::None
                   : filter_ == "segment" ? FilterLevel::Segment
                                          : FilterLevel::Owner;
  options.max_bytes = max_bytes_;
  return options;
}

std::string uninstrumented_note(const std::string& program) {
  return fmt::format(
      "{}: none of its code was compiled with ravel-cc or ravel-c++: its synchronization is seen, its "
      "accesses to memory are not",
      program);
}

}  // namespace ravel

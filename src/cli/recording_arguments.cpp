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

Result<void> tell_about_run(Console& console, const std::string& program, const RunEnd& end,
                            const RunNotes& notes) {
  for (const std::string& note : notes.texts) console.note(note);
  if (end.processes == 0)
    return fail("it has recorded nothing: either it has said why, or it is statically linked or set-user-id",
                program);
  if (!notes.instrumented)
    console.note(
        fmt::format("{}: none of its code was compiled with ravel-cc or ravel-c++: its synchronization is "
                    "seen, its accesses to memory are not",
                    program));
  return {};
}

}  // namespace ravel

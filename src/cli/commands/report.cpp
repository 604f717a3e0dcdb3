// ravel report: findings kept as JSON, shown again.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/command.h"
#include "report/printer.h"
#include "trace/input_file.h"

namespace ravel {
namespace {

class Report : public Command {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override { return "Show findings that were kept as JSON"; }

  void define(CLI::App& app) override {
    app.add_option("FINDINGS", input_, "Output of `ravel analyze --json`")->required()->type_name("FILE");
    app.add_option("--format", format_, "How to show them (without it text)")
        ->type_name("FORMAT")
        ->check(one_of({"text", "json"}));
    add_output(app, output_);
    app.footer(
        "Every finding is shown in full, whatever its verdict, and the exit code says nothing about them.\n\n"
        "Example:\n  ravel analyze --json run.rvl -o findings.json; ravel report findings.json");
  }

  Result<int> run(Session& session) override {
    const auto text = read_all(input_);
    if (!text) return std::unexpected(text.error());
    const auto findings = parse_findings(*text, input_);
    if (!findings) return std::unexpected(findings.error());
    return session.console.deliver(print(*findings, session.console), output_);
  }

 private:
  static Result<std::string> read_all(const std::string& path) {
    auto file = InputFile::open(path);
    if (!file) return std::unexpected(file.error());
    std::string text;
    std::vector<char> buffer(kReadBytes);
    while (true) {
      const auto count = file->read(buffer);
      if (!count) return std::unexpected(count.error());
      text.append(buffer.data(), *count);
      if (*count < buffer.size()) return text;
    }
  }

  std::string print(std::span<const Finding> findings, const Console& console) const {
    if (format_ == "json") return print_json(findings);
    ReportContext context;
    context.color = (output_.empty() || output_ == "-") && console.color();
    context.show_all = true;
    context.next_command = "ravel explain {rule}";
    return print_text(findings, context);
  }

  std::string input_;
  std::string format_ = "text";
  std::string output_;
};

const RegisterCommand<Report> kRegister;

}  // namespace
}  // namespace ravel

// ravel man: the man page.
#include "cli/command.h"
#include "cli/page_printers.h"
#include "version.h"

namespace ravel {
namespace {

class Man : public Command {
 public:
  std::string_view name() const override { return "man"; }
  std::string_view summary() const override { return "Print the man page"; }

  void define(CLI::App& app) override { app.footer("Example:\n  ravel man | man -l -"); }

  Result<int> run(Session& session) override {
    return session.console.deliver(print_man(describe(session.root), kVersion));
  }
};

const RegisterCommand<Man> kRegister;

}  // namespace
}  // namespace ravel

// ravel completions: the shells' completion scripts.
#include <string>

#include "cli/command.h"
#include "cli/page_printers.h"

namespace ravel {
namespace {

class Completions : public Command {
 public:
  std::string_view name() const override { return "completions"; }
  std::string_view summary() const override {
    return "Print a script that teaches a shell to complete ravel's arguments";
  }

  void define(CLI::App& app) override {
    app.add_option("SHELL", shell_, "For which shell")
        ->required()
        ->type_name("SHELL")
        ->check(one_of({"bash", "zsh", "fish"}));
    app.footer("Example:\n  source <(ravel completions bash)");
  }

  Result<int> run(Session& session) override {
    const Page root = describe(session.root);
    const std::string script = shell_ == "bash"  ? print_bash_completion(root)
                               : shell_ == "zsh" ? print_zsh_completion(root)
                                                 : print_fish_completion(root);
    return session.console.deliver(script);
  }

 private:
  std::string shell_;
};

const RegisterCommand<Completions> kRegister;

}  // namespace
}  // namespace ravel

// ravel cc, ravel c++: the compiler wrappers, for those who have only ravel itself on the PATH.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"

namespace ravel {
namespace {

class Compile : public Command {
 public:
  void define(CLI::App& app) override {
    app_ = &app;
    // Whatever it looks like, it is the compiler's; only "ravel cc --help" asks us.
    app.set_help_flag();
    app.prefix_command();
    app.footer(
        fmt::format("All arguments are the compiler's; {0} says more with --ravel-help.\n\n"
                    "Example:\n  ravel {1} --ravel-compiler=clang++ -g -O1 prog.c -o prog",
                    wrapper(), name()));
  }

  Result<int> run(Session& session) override {
    std::vector<std::string> words = app_->remaining();
    if (words.size() == 1 && (words[0] == "--help" || words[0] == "-h"))
      return session.console.deliver(app_->help());
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / wrapper();
    words.insert(words.begin(), program.string());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    return std::unexpected(
        Error{fmt::format("cannot run: {}", std::strerror(errno)), program.string(), 0, kExitInternal});
  }

 private:
  std::string wrapper() const { return fmt::format("ravel-{}", name()); }

  const CLI::App* app_ = nullptr;
};

class CompileC : public Compile {
 public:
  std::string_view name() const override { return "cc"; }
  std::string_view summary() const override { return "Compile C so that ravel can record the program"; }
};

class CompileCxx : public Compile {
 public:
  std::string_view name() const override { return "c++"; }
  std::string_view summary() const override { return "Compile C++ so that ravel can record the program"; }
};

const RegisterCommand<CompileC> kRegisterC;
const RegisterCommand<CompileCxx> kRegisterCxx;

}  // namespace
}  // namespace ravel

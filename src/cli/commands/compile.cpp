// ravel cc, ravel c++: the compiler wrappers, for those who have only ravel itself on the PATH.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "cli/command.h"

namespace ravel {
namespace {

class Compile : public Command {
 public:
  void define(CLI::App& app) override {
    app.footer(
        fmt::format("All arguments are the compiler's; {0} says more with --ravel-help.\n\n"
                    "Example:\n  ravel {1} --ravel-compiler=clang++ -g -O1 {2} -o prog",
                    wrapper(), name(), source()));
  }

  // Only "ravel cc --help" asks us.
  std::optional<Result<int>> take_over(std::span<const std::string> arguments) override {
    if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) return {};
    return become(arguments);
  }

  Result<int> run(Session&) override { return become({}); }

 private:
  std::string wrapper() const { return fmt::format("ravel-{}", name()); }

  virtual std::string_view source() const = 0;

  Result<int> become(std::span<const std::string> arguments) const {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / wrapper();
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    return std::unexpected(
        Error{fmt::format("cannot run: {}", std::strerror(errno)), program.string(), 0, kExitInternal});
  }
};

class CompileC : public Compile {
 public:
  std::string_view name() const override { return "cc"; }
  std::string_view summary() const override { return "Compile C so that ravel can record the program"; }

 private:
  std::string_view source() const override { return "prog.c"; }
};

class CompileCxx : public Compile {
 public:
  std::string_view name() const override { return "c++"; }
  std::string_view summary() const override { return "Compile C++ so that ravel can record the program"; }

 private:
  std::string_view source() const override { return "prog.cpp"; }
};

const RegisterCommand<CompileC> kRegisterC;
const RegisterCommand<CompileCxx> kRegisterCxx;

}  // namespace
}  // namespace ravel

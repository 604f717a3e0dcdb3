#include "instrument/wrapper.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "version.h"

namespace ravel::instrument {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// They replace memory, or bring interceptors of their own for what ravel intercepts.
constexpr auto kConflicts = std::to_array<std::string_view>({
    "address",
    "dataflow",
    "hwaddress",
    "kernel-address",
    "kernel-hwaddress",
    "kernel-memory",
    "leak",
    "memory",
    "pointer-compare",
    "pointer-subtract",
    "realtime",
    "safe-stack",
    "scudo",
    "type",
});

// First on the line, so that the user's -g options have the last word.
constexpr std::string_view kLines = "-g1";

void append(Words& words, std::initializer_list<std::string_view> more) {
  words.insert(words.end(), more.begin(), more.end());
}

Result<void> check(const Invocation& invocation) {
  for (const std::string_view name : kConflicts)
    if (invocation.sanitizers.contains(name))
      return fail("-fsanitize=" + std::string(name) + " cannot be combined with ravel; build without it");
  if (invocation.links && invocation.is_static)
    return fail(
        "a static program cannot be observed: ravel's runtime stands between the program and the C library's "
        "shared functions; link without -static and -static-pie");
  return {};
}

// The runtime comes before all else: the dynamic linker takes the first definition it meets, and a static
// libstdc++ is asked only for what the runtime does not define. --no-as-needed, because no object comes
// before it.
void append_runtime(Words& words, const Runtime& runtime) {
  for (const std::string& word :
       {std::string("--push-state"), std::string("--no-as-needed"), runtime.library(),
        std::string("--pop-state"), std::string("-rpath"), runtime.folder})
    append(words, {"-Xlinker", word});
}

Words gcc_command(const Invocation& invocation, const Words& first, const Runtime& runtime) {
  Words words = first;
  // Also for a line that only links: link-time optimization inserts the calls there.
  append(words, {"-fsanitize=thread"});
  // The warning says that ThreadSanitizer's runtime ignores fences. Ours does not.
  append(words, {"-Wno-tsan"});
  if (invocation.links) {
    const std::string folder = runtime.instead_of_libtsan();
    append(words, {"-B" + folder, "-L" + folder});
    append_runtime(words, runtime);
  }
  words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
  return words;
}

Words clang_command(const Invocation& invocation, const Compiler& compiler, const Words& first,
                    const Runtime& runtime) {
  const bool other_runtimes = invocation.links && !invocation.sanitizers.empty();
  Words words = first;
  // Some of these are of no use on some lines, which -Werror would not forgive.
  append(words, {"--start-no-unused-arguments"});
  if (!other_runtimes) append(words, {"-fsanitize=thread", "-fno-sanitize-link-runtime"});
  if (other_runtimes && !invocation.thread_off) append(words, {"-Xclang", "-fsanitize=thread"});
  // Without it clang reports no read for x++.
  append(words, {"-mllvm", "-tsan-instrument-read-before-write"});
  if (!compiler.plugin.empty()) append(words, {"-fpass-plugin=" + compiler.plugin});
  if (invocation.links) append_runtime(words, runtime);
  append(words, {"--end-no-unused-arguments"});
  const Words& given = invocation.arguments;
  const auto options_end = std::ranges::find(given, "--");
  words.insert(words.end(), given.begin(), options_end);
  if (other_runtimes)
    append(words, {"--start-no-unused-arguments", "-fno-sanitize=thread", "--end-no-unused-arguments"});
  words.insert(words.end(), options_end, given.end());
  return words;
}

constexpr const char* kHelp = R"(Usage: ravel-cc|ravel-c++ [--ravel-compiler=COMPILER] ARGUMENTS...

Runs a C or C++ compiler with its own arguments, so that the program it makes can be
recorded by ravel.

  --ravel-compiler=COMPILER  g++, clang++, clang++-19, a path ... (also: RAVEL_COMPILER
                             in the environment; default: gcc, else clang)
  --ravel-no-inline          call the runtime at every access, also with a clang that ravel
                             has a plugin for
  --ravel-print-command      print what would be run, one argument a line
  --ravel-identity           print what decides about the objects made, for ccache:
                             CCACHE_COMPILERCHECK='%compiler% --ravel-identity'
  --ravel-help               print this help

Every other argument is the compiler's.
)";

struct Own {
  std::string compiler;
  bool no_inline = false;
  bool print_command = false;
  bool identity = false;
  bool help = false;
};

Result<Own> read_own(const Words& options) {
  constexpr std::string_view kCompiler = "--ravel-compiler=";
  Own own;
  if (const char* variable = std::getenv("RAVEL_COMPILER")) own.compiler = variable;
  for (const std::string& option : options) {
    if (option.starts_with(kCompiler) && option.size() > kCompiler.size())
      own.compiler = option.substr(kCompiler.size());
    else if (option == "--ravel-no-inline")
      own.no_inline = true;
    else if (option == "--ravel-print-command")
      own.print_command = true;
    else if (option == "--ravel-identity")
      own.identity = true;
    else if (option == "--ravel-help")
      own.help = true;
    else
      return fail("unknown option '" + option + "' (see --ravel-help)");
  }
  return own;
}

// ccache knows the compiler it starts by size and time only; here that is the wrapper.
void print_identity(const Compiler& compiler) {
  std::printf("ravel %.*s", static_cast<int>(kVersion.size()), kVersion.data());
  for (const std::string& path : {compiler.path, compiler.plugin}) {
    struct stat status{};
    if (path.empty() || ::stat(path.c_str(), &status) != 0) continue;
    std::printf(" %s %lld %lld", path.c_str(), static_cast<long long>(status.st_size),
                static_cast<long long>(status.st_mtime));
  }
  std::puts("");
}

int become(const Words& command) {
  std::vector<char*> pointers;
  pointers.reserve(command.size() + 1);
  // exec does not write to the strings; its signature is older than const.
  for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  std::fprintf(stderr, "ravel: cannot run %s: %s\n", pointers[0], std::strerror(errno));
  return kExitInternal;
}

Result<int> wrap(Language language, std::span<const std::string> arguments) {
  const Invocation invocation = Invocation::parse(arguments);
  const auto own = read_own(invocation.own);
  if (!own) return std::unexpected(own.error());
  if (own->help) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  auto compiler = find_compiler(language, own->compiler);
  if (!compiler) return std::unexpected(compiler.error());
  if (!own->no_inline) compiler->plugin = find_plugin(*compiler);
  if (own->identity) {
    print_identity(*compiler);
    return 0;
  }
  const auto command = instrumented_command(invocation, *compiler, find_runtime);
  if (!command) return std::unexpected(command.error());
  if (!own->print_command) return become(*command);
  for (const std::string& word : *command) std::puts(word.c_str());
  return 0;
}

}  // namespace

Result<Runtime> find_runtime() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path lib = program.parent_path().parent_path() / "lib";
  const char* variable = std::getenv("RAVEL_RUNTIME_DIR");
  const std::array<fs::path, 2> places{variable == nullptr ? lib / "ravel" : fs::absolute(variable, error),
                                       variable == nullptr ? lib : fs::path()};
  for (const fs::path& place : places) {
    Runtime runtime{place.string()};
    if (place.empty() || ::access(runtime.library().c_str(), R_OK) != 0) continue;
    // Without it gcc would find the real libtsan, and a program with both runtimes crashes.
    const std::string name = runtime.instead_of_libtsan() + "/libtsan.so";
    if (::access(name.c_str(), R_OK) != 0)
      return std::unexpected(Error{"ravel's runtime is not complete: no " + name, {}, 0, kExitInternal});
    return runtime;
  }
  return std::unexpected(Error{"ravel's runtime libravel_rt.so is not in " + places[0].string() +
                                   (variable == nullptr ? " or " + places[1].string() : ""),
                               {},
                               0,
                               kExitInternal});
}

std::string find_plugin(const Compiler& compiler) {
  const int version = compiler.family == Family::Clang ? clang_version(compiler.path) : 0;
  if (version == 0) return {};
  const auto runtime = find_runtime();
  std::string plugin = runtime ? runtime->clang_plugin(version) : std::string();
  return ::access(plugin.c_str(), R_OK) == 0 ? plugin : std::string();
}

Result<Words> instrumented_command(const Invocation& invocation, const Compiler& compiler,
                                   Result<Runtime> (*runtime)()) {
  Words words{compiler.path};
  if (invocation.asks || !invocation.has_input) {
    words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
    return words;
  }
  if (auto checked = check(invocation); !checked) return std::unexpected(checked.error());
  Runtime where;
  if (invocation.links) {
    auto found = runtime();
    if (!found) return std::unexpected(found.error());
    where = *std::move(found);
  }
  // Assembler code that a compiler wrote brings its own line numbers, and the assembler takes only one kind.
  if (!invocation.only_asm) append(words, {kLines});
  switch (compiler.family) {
    case Family::Gcc:
      return gcc_command(invocation, words, where);
    case Family::Clang:
      return clang_command(invocation, compiler, words, where);
  }
  return words;
}

int run_wrapper(Language language, std::span<const std::string> arguments) {
  const Result<int> code = wrap(language, arguments);
  if (code) return *code;
  std::fprintf(stderr, "%s: %s\n", language == Language::C ? "ravel-cc" : "ravel-c++",
               code.error().message.c_str());
  return code.error().exit_code;
}

}  // namespace ravel::instrument

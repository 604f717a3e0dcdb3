#include "instrument/invocation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "instrument/response_file.h"

namespace ravel::instrument {
namespace {

// Options of gcc and clang whose value is the next argument. What is missing here would make its value look
// like an input file; that matters only for lines without a real one.
constexpr auto kWithValue = std::to_array<std::string_view>({
    "--CLASSPATH",
    "--assert",
    "--define-macro",
    "--include",
    "--include-directory",
    "--library-directory",
    "--output",
    "--param",
    "--sysroot",
    "--undefine-macro",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-h",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-mllvm",
    "-o",
    "-serialize-diagnostics",
    "-soname",
    "-target",
    "-u",
    "-working-directory",
    "-wrapper",
    "-z",
});
static_assert(std::ranges::is_sorted(kWithValue));

// Options after which nothing is linked.
constexpr auto kNoLink = std::to_array<std::string_view>({
    "--analyze",
    "--assemble",
    "--compile",
    "--precompile",
    "--preprocess",
    "-E",
    "-M",
    "-MM",
    "-S",
    "-c",
    "-emit-ast",
    "-fsyntax-only",
    "-r",
    "-rewrite-objc",
    "-verify-pch",
});
static_assert(std::ranges::is_sorted(kNoLink));

constexpr auto kQuestions = std::to_array<std::string_view>({
    "--target-help",
    "--version",
    "-cc1",
    "-cc1as",
    "-cc1gen-reproducer",
    "-dumpfullversion",
    "-dumpmachine",
    "-dumpspecs",
    "-dumpversion",
    "-help",
});
static_assert(std::ranges::is_sorted(kQuestions));

constexpr auto kHeaders =
    std::to_array<std::string_view>({"H", "HPP", "h", "h++", "hh", "hp", "hpp", "hxx", "tcc"});
static_assert(std::ranges::is_sorted(kHeaders));

template <std::size_t N>
bool among(const std::array<std::string_view, N>& sorted, std::string_view word) {
  return std::ranges::binary_search(sorted, word);
}

template <typename Action>
void for_each_item(std::string_view list, Action action) {
  while (true) {
    const std::size_t comma = list.find(',');
    action(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// Options for the linker that make a relocatable object.
bool asks_for_relocatable(std::string_view option) {
  return option == "-r" || option == "-i" || option == "--relocatable";
}

bool is_own(std::string_view argument) { return argument.starts_with("--ravel-"); }

// -static-libtsan would look past the library that stands in for libtsan.
bool is_dropped(std::string_view argument) { return argument == "-static-libtsan"; }

class Parser {
 public:
  Invocation parse(std::span<const std::string> arguments) {
    for (const std::string& argument : arguments) {
      if (!argument.starts_with('@')) {
        take(argument);
        keep(argument);
        continue;
      }
      const std::vector<std::string> inner = expand_response(argument);
      const bool open =
          std::ranges::any_of(inner, [](const auto& word) { return is_own(word) || is_dropped(word); });
      if (!open) invocation_.arguments.push_back(argument);
      for (const std::string& word : inner) {
        take(word);
        if (open) keep(word);
      }
    }
    // Headers alone are precompiled.
    const bool precompiles = headers_ > 0 && others_ == 0 && assembler_ == 0;
    invocation_.links = invocation_.has_input && !no_link_ && !precompiles;
    invocation_.only_asm = assembler_ > 0 && others_ == 0;
    return std::move(invocation_);
  }

 private:
  void keep(const std::string& argument) {
    if (is_own(argument))
      invocation_.own.push_back(argument);
    else if (!is_dropped(argument))
      invocation_.arguments.push_back(argument);
  }

  // One argument, response files expanded.
  void take(std::string_view argument) {
    if (!value_of_.empty()) {
      take_value(std::exchange(value_of_, {}), argument);
      return;
    }
    if (options_ended_ || argument == "-" || !argument.starts_with('-'))
      take_input(argument);
    else if (argument == "--")
      options_ended_ = true;
    else
      take_option(argument);
  }

  void take_value(std::string_view option, std::string_view value) {
    if (option == "-x") language_ = value;
    if (option == "-Xlinker") no_link_ = no_link_ || asks_for_relocatable(value);
  }

  void take_option(std::string_view option) {
    if (option == "-x" || option == "-Xlinker" || option == "-l" || among(kWithValue, option)) {
      if (option == "-Xlinker" || option == "-l") invocation_.has_input = true;
      value_of_ = option;
    } else if (option.starts_with("-x") && !option.starts_with("-x=")) {
      language_ = option.substr(2);
    } else if (among(kNoLink, option)) {
      no_link_ = true;
    } else if (among(kQuestions, option) || option.starts_with("--help") || option.starts_with("-print-") ||
               option.starts_with("--print-")) {
      invocation_.asks = true;
    } else if (option == "-static" || option == "--static" || option == "-static-pie" ||
               option == "--static-pie") {
      invocation_.is_static = true;
    } else if (option.starts_with("-Wl,")) {
      invocation_.has_input = true;
      for_each_item(option.substr(4),
                    [this](std::string_view item) { no_link_ = no_link_ || asks_for_relocatable(item); });
    } else if (option.starts_with("-l")) {
      invocation_.has_input = true;
    } else if (option.starts_with("-fsanitize=")) {
      for_each_item(option.substr(option.find('=') + 1), [this](std::string_view name) { sanitize(name); });
    } else if (option.starts_with("-fno-sanitize=")) {
      for_each_item(option.substr(option.find('=') + 1),
                    [this](std::string_view name) { do_not_sanitize(name); });
    }
  }

  void take_input(std::string_view name) {
    invocation_.has_input = true;
    const std::size_t dot = name.rfind('.');
    const std::string_view extension = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    const bool by_name = language_.empty() || language_ == "none";
    if (by_name ? among(kHeaders, extension) : language_.ends_with("-header"))
      ++headers_;
    else if (by_name ? extension == "s" || extension == "S" || extension == "sx"
                     : language_.starts_with("assembler"))
      ++assembler_;
    else
      ++others_;
  }

  void sanitize(std::string_view name) {
    if (name == "thread")
      invocation_.thread_off = false;
    else
      invocation_.sanitizers.emplace(name);
  }

  void do_not_sanitize(std::string_view name) {
    if (name == "thread" || name == "all") invocation_.thread_off = true;
    if (name == "all")
      invocation_.sanitizers.clear();
    else if (const auto found = invocation_.sanitizers.find(name); found != invocation_.sanitizers.end())
      invocation_.sanitizers.erase(found);
  }

  Invocation invocation_;
  std::string value_of_;        ///< the option whose value comes next
  std::string language_;        ///< -x
  bool options_ended_ = false;  ///< by "--", which only clang knows
  bool no_link_ = false;
  int headers_ = 0;
  int assembler_ = 0;
  int others_ = 0;
};

}  // namespace

Invocation Invocation::parse(std::span<const std::string> arguments) { return Parser().parse(arguments); }

}  // namespace ravel::instrument

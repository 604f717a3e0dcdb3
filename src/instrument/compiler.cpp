#include "instrument/compiler.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace ravel::instrument {
namespace {

namespace fs = std::filesystem;

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? path : real;
}

bool is_wrapper(const fs::path& path) {
  const std::string name = real_path(path).filename().string();
  return name == "ravel-cc" || name == "ravel-c++";
}

bool can_run(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> look_up(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_run(name) ? std::optional(name) : std::nullopt;
  const char* variable = std::getenv("PATH");
  std::string_view path = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (true) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (can_run(candidate) && !is_wrapper(candidate)) return candidate.string();
    if (colon == std::string_view::npos) return std::nullopt;
    path.remove_prefix(colon + 1);
  }
}

std::optional<Family> family_of_name(const std::string& name) {
  if (name.find("clang") != std::string::npos) return Family::Clang;
  if (name.find("gcc") != std::string::npos || name.find("g++") != std::string::npos) return Family::Gcc;
  return std::nullopt;
}

// What the compiler prints for these arguments.
std::string output_of(const std::string& path, const std::array<const char*, 6>& arguments) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    // exec does not write to the strings; its signature is older than const.
    ::execv(path.c_str(), const_cast<char* const*>(arguments.data()));
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return text;
}

Family family_of(const std::string& path) {
  if (const auto family = family_of_name(fs::path(path).filename().string())) return *family;
  // cc and c++ are links to what they are.
  if (const auto family = family_of_name(real_path(path).filename().string())) return *family;
  const std::string macros = output_of(path, {path.c_str(), "-dM", "-E", "-xc", "/dev/null", nullptr});
  return macros.find("__clang__") != std::string::npos ? Family::Clang : Family::Gcc;
}

// The number that follows `prefix` in a name that begins with it; 0: none.
int number_after(std::string_view prefix, std::string_view name) {
  int number = 0;
  if (name.starts_with(prefix))
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  return number;
}

}  // namespace

int clang_version(const std::string& path) {
  const fs::path real = real_path(path);
  for (const std::string& name : {fs::path(path).filename().string(), real.filename().string()})
    for (const std::string_view prefix : {"clang-", "clang++-"})
      if (const int number = number_after(prefix, name); number != 0) return number;
  for (const fs::path& folder : real.parent_path())
    if (const int number = number_after("llvm-", folder.string()); number != 0) return number;
  return 0;
}

std::string driver_for(Language language, std::string_view name) {
  struct Pair {
    std::string_view c, cxx;
  };
  // clang first: its C++ driver ends in the name of g++.
  constexpr std::array<Pair, 3> kPairs{{{"clang", "clang++"}, {"gcc", "g++"}, {"cc", "c++"}}};
  const std::size_t base = name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1;
  for (const Pair& pair : kPairs) {
    // The longer of the two first: "clang" is in "clang++".
    for (const std::string_view form : {pair.cxx, pair.c}) {
      const std::size_t at = name.rfind(form);
      if (at == std::string_view::npos || at < base) continue;
      // Only a version may follow: clang-format is no driver.
      const std::string_view rest = name.substr(at + form.size());
      if (rest.find_first_not_of("-.0123456789") != std::string_view::npos) continue;
      if (at > base && name[at - 1] != '-') continue;
      return std::string(name.substr(0, at)) + std::string(language == Language::C ? pair.c : pair.cxx) +
             std::string(rest);
    }
  }
  return std::string(name);
}

Result<Compiler> find_compiler(Language language, std::string_view wanted) {
  if (wanted.empty()) {
    for (const std::string_view name : {"gcc", "clang", "cc"})
      if (const auto path = look_up(driver_for(language, name))) return Compiler{*path, family_of(*path)};
    return fail("no compiler found: neither " + driver_for(language, "gcc") + " nor " +
                driver_for(language, "clang") + " is on the PATH (or name one with --ravel-compiler=)");
  }
  const std::string name = driver_for(language, wanted);
  const auto path = look_up(name);
  if (!path) return fail("cannot find the compiler '" + name + "'");
  if (is_wrapper(*path)) return fail("'" + name + "' is ravel's own wrapper; name the compiler behind it");
  return Compiler{*path, family_of(*path)};
}

}  // namespace ravel::instrument

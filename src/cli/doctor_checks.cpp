#include "cli/doctor_checks.h"

#include <fmt/format.h>
#include <linux/prctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cli/subprocess.h"
#include "instrument/compiler.h"
#include "instrument/wrapper.h"
#include "record/target.h"

namespace ravel {
namespace {

using instrument::find_compiler;
using instrument::Language;

constexpr std::string_view kReinstall = "build or install ravel again: bin/ and lib/ belong together";

/// Two words for every eight bytes of 16 TiB (runtime/shadow.h), and some for the program.
constexpr std::uint64_t kAddressSpace = std::uint64_t{33} << 40;
/// A stream begins with one extent; a program of some seconds needs more.
constexpr std::uint64_t kLeastSpace = std::uint64_t{64} << 20;
constexpr std::uint64_t kFairSpace = std::uint64_t{1} << 30;

std::string version_of(const std::string& compiler, const std::string& scratch) {
  const auto asked = run_program({compiler, "-dumpfullversion", "-dumpversion"}, scratch);
  if (!asked || asked->exit_code != 0) return "of unknown version";
  return asked->output.substr(0, asked->output.find('\n'));
}

Check check_wrapper(const std::string& name) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name;
  if (::access(path.c_str(), X_OK) == 0) return {name, Health::Ok, path.string(), {}};
  return {name, Health::Problem, fmt::format("{}: {}", path.string(), std::strerror(errno)),
          std::string(kReinstall)};
}

Check check_address_space() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {"address-space", Health::Ok, "not limited", {}};
  if (limit.rlim_cur >= kAddressSpace)
    return {"address-space", Health::Ok, fmt::format("limited to {} TiB", limit.rlim_cur >> 40), {}};
  return {"address-space", Health::Problem,
          fmt::format("limited to {} MiB; recording reserves 32 TiB of addresses (not of memory)",
                      limit.rlim_cur >> 20),
          limit.rlim_max >= kAddressSpace
              ? "ulimit -v unlimited"
              : "raise the hard limit (ulimit -Hv; in a service: LimitAS=infinity)"};
}

Check check_space(const std::string& temporary) {
  struct statvfs space{};
  if (statvfs(temporary.c_str(), &space) != 0)
    return {"temporary-space", Health::Problem, fmt::format("{}: {}", temporary, std::strerror(errno)),
            "set TMPDIR to a directory that exists"};
  const std::uint64_t free = std::uint64_t{space.f_bavail} * space.f_frsize;
  const std::string found = fmt::format("{} MiB free in {}", free >> 20, temporary);
  if (free >= kFairSpace) return {"temporary-space", Health::Ok, found, {}};
  return {"temporary-space", free < kLeastSpace ? Health::Problem : Health::Note, found,
          "set TMPDIR to a directory with more space, or use ravel record -o there"};
}

/// In a child: it is the child's setting that `change` changes.
template <typename Change>
bool works_in_child(Change change) {
  const pid_t child = fork();
  if (child == 0) _exit(change() ? 0 : 1);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  return status == 0;
}

Check check_dispatch() {
  const bool works = works_in_child([] {
    static char allow = SYSCALL_DISPATCH_FILTER_ALLOW;
    return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &allow) == 0;
  });
  if (works)
    return {"system-calls", Health::Ok, "controlled runs see those that programs make by themselves", {}};
  return {"system-calls", Health::Note,
          "controlled runs do not see those that programs make by themselves, as g++'s OpenMP does",
          "Linux 5.11 or later (Syscall User Dispatch); without it such programs run slowly when controlled, "
          "and not the same each time"};
}

Check check_randomisation() {
  const bool works = works_in_child([] {
    const int before = personality(0xffffffff);
    return before != -1 && personality(static_cast<unsigned>(before) | ADDR_NO_RANDOMIZE) != -1;
  });
  if (works) return {"address-randomisation", Health::Ok, "can be switched off for a program", {}};
  return {"address-randomisation", Health::Note,
          "cannot be switched off for a program, as in many containers",
          "nothing: recording works; addresses differ from run to run"};
}

/// Programs are recorded without it, too, if more slowly.
Check check_plugin(const instrument::Runtime& runtime) {
  constexpr int kVersion = 19;
  const std::string path = runtime.clang_plugin(kVersion);
  if (::access(path.c_str(), R_OK) == 0) return {"clang-plugin", Health::Ok, path, {}};
  return {"clang-plugin", Health::Note,
          fmt::format("none: programs compiled by clang {} call the runtime at every access", kVersion),
          fmt::format("nothing, if that is fast enough; else build ravel where llvm-{}-dev is installed",
                      kVersion)};
}

}  // namespace

std::vector<Check> check_compilers(const std::string& scratch) {
  std::vector<Check> checks;
  for (const std::string name : {"g++", "clang++"}) {
    const auto compiler = find_compiler(Language::Cxx, name);
    if (compiler) {
      const std::string version = version_of(compiler->path, scratch);
      checks.push_back({name, Health::Ok, fmt::format("{} {}", compiler->path, version), {}});
    } else {
      checks.push_back(
          {name, Health::Note, "not on the PATH",
           fmt::format("nothing, if another compiler is there; else install {} (g++ 12 and clang "
                       "14 to 19 are tested)",
                       name)});
    }
  }
  const char* const wanted = std::getenv("RAVEL_COMPILER");
  const auto chosen = find_compiler(Language::Cxx, wanted == nullptr ? "" : wanted);
  if (chosen) {
    checks.push_back({"compiler", Health::Ok, fmt::format("ravel-c++ uses {}", chosen->path), {}});
  } else {
    checks.push_back({"compiler", Health::Problem, chosen.error().message,
                      wanted == nullptr ? "install g++ or clang++" : "correct or unset RAVEL_COMPILER"});
  }
  return checks;
}

std::vector<Check> check_installation() {
  std::vector<Check> checks{check_wrapper("ravel-cc"), check_wrapper("ravel-c++")};
  const auto for_programs = instrument::find_runtime();
  const auto for_recording = runtime_library();
  if (for_programs && for_recording)
    checks.push_back({"runtime", Health::Ok, for_programs->library(), {}});
  else
    checks.push_back({"runtime", Health::Problem,
                      !for_programs ? for_programs.error().message : for_recording.error().message,
                      std::string(kReinstall)});
  if (for_programs) checks.push_back(check_plugin(*for_programs));
  return checks;
}

std::vector<Check> check_limits(const std::string& temporary) {
  return {check_address_space(), check_space(temporary), check_randomisation(), check_dispatch()};
}

}  // namespace ravel

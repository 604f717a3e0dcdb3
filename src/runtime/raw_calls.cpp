#include "runtime/raw_calls.h"

#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/intercept.h"
#include "runtime/sigsys.h"
#include "runtime/system_call.h"

RAVEL_REAL_TYPED(syscall, long (*)(long, ...))

namespace ravel::rt {

__thread volatile std::uint8_t raw_call_filter __attribute__((tls_model("initial-exec"))) =
    SYSCALL_DISPATCH_FILTER_ALLOW;

namespace {

constexpr int kInstructionBytes = 2;  // of `syscall`
constexpr int kFromDispatch = 2;      // SYS_USER_DISPATCH, which the C library's headers lack

struct Code {
  std::uintptr_t begin;
  std::uintptr_t bytes;

  bool has(std::uintptr_t pc) const { return pc - begin < bytes; }
};

/// The C library's: its calls are not told of. No bytes: none are.
constinit Code library{};

// Parts of the C library that are files of their own, and the kernel's. They may wait for what only the
// kernel does (a thread to be gone), or have locks of the loader's.
constexpr const char* kSystemModules[] = {"ld-linux", "linux-vdso", "libpthread.so", "librt.so"};
constexpr std::size_t kSystemCodes = 16;
constinit Code system_code[kSystemCodes] = {};
constinit std::size_t system_code_count = 0;

bool is_of_system(std::uintptr_t pc) {
  for (std::size_t i = 0; i < system_code_count; ++i)
    if (system_code[i].has(pc)) return true;
  return false;
}

int find_code(dl_phdr_info* info, std::size_t /*size*/, void* /*context*/) {
  const char* const slash = strrchr(info->dlpi_name, '/');
  const char* const name = slash != nullptr ? slash + 1 : info->dlpi_name;
  bool of_system = false;
  for (const char* const begin : kSystemModules)
    of_system = of_system || strncmp(name, begin, strlen(begin)) == 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const Code code{info->dlpi_addr + segment.p_vaddr, segment.p_memsz};
    if (code.has(reinterpret_cast<std::uintptr_t>(real_syscall()))) library = code;
    if (of_system && system_code_count < kSystemCodes) system_code[system_code_count++] = code;
  }
  return 0;
}

long dispatch(long mode, const Code& code) {
  return system_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, mode, static_cast<long>(code.begin),
                     static_cast<long>(code.bytes), reinterpret_cast<long>(&raw_call_filter));
}

/// Calls that depend on where the thread is: they make a thread or process that goes on from there, replace
/// the process, or are about the stack of signal handlers. Made from a handler they would do something else.
bool is_bound_to_place(long number) {
  switch (number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_rt_sigreturn:
    case SYS_sigaltstack:
      return true;
    default:
      return false;
  }
}

void on_raw_call(siginfo_t& info, ucontext_t& context) {
  greg_t* const registers = context.uc_mcontext.gregs;
  const auto pc = static_cast<Pc>(registers[REG_RIP]);
  const SystemCall call{.number = info.si_syscall,
                        .arguments = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                                      registers[REG_R10], registers[REG_R8], registers[REG_R9]}};
  if (is_bound_to_place(call.number) || info.si_arch != AUDIT_ARCH_X86_64) {
    // The thread makes it once more by itself.
    raw_call_filter = SYSCALL_DISPATCH_FILTER_ALLOW;
    registers[REG_RIP] -= kInstructionBytes;
    return;
  }
  const int saved = errno;
  // In a free run nobody sees it, so it is not counted here either.
  registers[REG_RAX] = is_of_system(pc) ? call.run() : control_call(calling_thread(), call, pc);
  // At the handler's end the mask becomes what it says.
  if (call.number == SYS_rt_sigprocmask)
    system_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, reinterpret_cast<long>(&context.uc_sigmask),
                sizeof(std::uint64_t));
  errno = saved;
}

void on_sigsys(int /*signal*/, siginfo_t* info, void* context) {
  if (info->si_code == kFromDispatch)
    on_raw_call(*info, *static_cast<ucontext_t*>(context));
  else
    deliver_sigsys(info, context);
}

}  // namespace

void prepare_raw_calls() {
  dl_iterate_phdr(find_code, nullptr);
  call_through(real_syscall());
  if (dispatch(PR_SYS_DISPATCH_ON, library) == 0) return take_over_sigsys(on_sigsys);
  call_through(nullptr);
  library = {};
}

void catch_raw_calls() {
  if (library.bytes == 0) return;
  raw_call_filter = SYSCALL_DISPATCH_FILTER_BLOCK;
  dispatch(PR_SYS_DISPATCH_ON, library);
}

void let_raw_calls_pass() {
  if (library.bytes == 0) return;
  raw_call_filter = SYSCALL_DISPATCH_FILTER_ALLOW;
  system_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF);
}

}  // namespace ravel::rt

// Handlers of the program run through one of the runtime's own, which knows whether the thread is inside.
//
// A signal that must wait is kept with all it came with, and until it is delivered the thread's other signals
// are blocked: so there is never more than one to keep, and the kernel queues the rest as it would have.
#include "runtime/signal.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/bias.h"
#include "runtime/intercept.h"
#include "runtime/sigsys.h"

RAVEL_REAL_TYPED(sigaction, int (*)(int, const struct sigaction*, struct sigaction*))
RAVEL_REAL(signal)
RAVEL_REAL_TYPED(__sysv_signal, sighandler_t (*)(int, sighandler_t))
RAVEL_REAL_TYPED(sigset, sighandler_t (*)(int, sighandler_t))
RAVEL_REAL_TYPED(longjmp, void (*)(void*, int))
RAVEL_REAL_TYPED(__longjmp_chk, void (*)(void*, int))

namespace ravel::rt {
namespace {

using KernelMask = std::uint64_t;
constexpr int kSignals = 65;

/// The program's handler, as it gave it. What the kernel has is on_signal, with the same flags and mask.
struct Handler {
  void* function;
  int flags;
};
constinit Handler handlers[kSignals] = {};

struct Kept {
  siginfo_t info;
  KernelMask mask;
};
__thread Kept kept __attribute__((tls_model("initial-exec")));

/// A handler that runs.
struct Running {
  Running* outer;
  std::uint32_t depth;  ///< what the thread's calls were
  std::uint32_t floor;
  std::uint32_t inside;
  std::uintptr_t frame;  ///< the handler's callees lie below, the code that it interrupted above...
  std::uintptr_t stack_low, stack_high;  ///< ... or outside of this stack, if it has one for itself
};
__thread Running* running __attribute__((tls_model("initial-exec"))) = nullptr;

__thread std::uint32_t run_count __attribute__((tls_model("initial-exec"))) = 0;

void restore(Thread& self, const Running& ended) {
  self.depth = ended.depth;
  self.floor = ended.floor;
  self.inside = ended.inside;
  running = ended.outer;
}

KernelMask& kernel_mask(sigset_t& set) { return *reinterpret_cast<KernelMask*>(&set); }
constexpr KernelMask bit(int signal) { return KernelMask{1} << (signal - 1); }

/// Those that a fault of the thread itself raises, at once or never.
constexpr KernelMask kFaults =
    bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS);

/// As the kernel has it, or would.
int kernel_action(int signal, const struct sigaction* action, struct sigaction* old) {
  return has_taken_over(signal) ? exchange_sigsys(action, old) : real_sigaction()(signal, action, old);
}

void call(const Handler& handler, int signal, siginfo_t* info, void* context) {
  if ((handler.flags & SA_SIGINFO) != 0)
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(handler.function)(signal, info, context);
  else
    reinterpret_cast<void (*)(int)>(handler.function)(signal);
}

void run_handler(Thread* self, int signal, siginfo_t* info, ucontext_t* context) {
  const Handler handler = handlers[signal];
  ++run_count;
  if (self == nullptr) return call(handler, signal, info, context);
  const auto own_low = reinterpret_cast<std::uintptr_t>(context->uc_stack.ss_sp);
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  Running now{running, self->depth, self->floor, self->inside, frame, 0, 0};
  if (frame - own_low < context->uc_stack.ss_size) {
    now.stack_low = own_low;
    now.stack_high = own_low + context->uc_stack.ss_size;
  }
  running = &now;
  self->floor = self->depth;
  self->inside = 0;
  call(handler, signal, info, context);
  restore(*self, now);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  Thread* const self = this_thread;
  auto* const interrupted = static_cast<ucontext_t*>(context);
  const bool fault = (kFaults & bit(signal)) != 0 && info->si_code > 0;
  KernelMask& mask = kernel_mask(interrupted->uc_sigmask);
  if (self == nullptr || (self->inside == 0 && !is_at_work(*self)) || fault) {
    run_handler(self, signal, info, interrupted);
    mask = blockable(mask);
    return;
  }
  kept = {*info, mask};
  __atomic_store_n(&self->pending_signals, static_cast<std::uint64_t>(signal), __ATOMIC_RELEASE);
  mask |= ~kFaults;
}

bool is_function(const void* handler) {
  return handler != reinterpret_cast<void*>(SIG_DFL) && handler != reinterpret_cast<void*>(SIG_IGN) &&
         handler != reinterpret_cast<void*>(SIG_ERR);
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

/// What the program has said, where the kernel says on_signal.
void show_own(struct sigaction& action, const Handler& handler) {
  if (!is_ours(action)) return;
  if ((handler.flags & SA_SIGINFO) == 0) action.sa_flags &= ~SA_SIGINFO;
  action.sa_handler = reinterpret_cast<sighandler_t>(handler.function);
}

int set_action(int signal, const struct sigaction* action, struct sigaction* old) {
  if (signal < 1 || signal >= kSignals) return real_sigaction()(signal, action, old);
  const Handler before = handlers[signal];
  struct sigaction mine{};
  if (action != nullptr) {
    mine = *action;
    kernel_mask(mine.sa_mask) = blockable(kernel_mask(mine.sa_mask));
  }
  if (action != nullptr && recorder.recording && is_function(reinterpret_cast<void*>(action->sa_handler))) {
    handlers[signal] = {reinterpret_cast<void*>(action->sa_handler), action->sa_flags};
    mine.sa_sigaction = on_signal;
    mine.sa_flags |= SA_SIGINFO;
  }
  const int result = kernel_action(signal, action != nullptr ? &mine : nullptr, old);
  if (result != 0)
    handlers[signal] = before;
  else if (old != nullptr)
    show_own(*old, before);
  return result;
}

/// For the older functions: `set` is the real one. What it makes of the flags and the mask stays.
template <typename Set>
sighandler_t set_handler(int signal, sighandler_t handler, Set set) {
  if (signal < 1 || signal >= kSignals) return set();
  if (has_taken_over(signal)) {
    struct sigaction action{}, old{};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    set_action(signal, &action, &old);
    return old.sa_handler;
  }
  const Handler before = handlers[signal];
  const sighandler_t old = set();
  if (old == SIG_ERR) return old;
  struct sigaction action{};
  if (recorder.recording && real_sigaction()(signal, nullptr, &action) == 0 && !is_ours(action))
    set_action(signal, &action, nullptr);
  const bool was_ours = reinterpret_cast<void*>(old) == reinterpret_cast<void*>(on_signal);
  return was_ours ? reinterpret_cast<sighandler_t>(before.function) : old;
}

/// glibc keeps the stack pointer of a jmp_buf rotated and mixed with a word of the thread's.
std::uintptr_t stack_of(const void* buffer) {
  constexpr int kStackPointer = 6;
  std::uintptr_t value = static_cast<const std::uintptr_t*>(buffer)[kStackPointer];
  asm("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(value));
  return value;
}

/// Ends the handlers that a jump to this stack pointer leaves.
void leave_handlers(std::uintptr_t stack) {
  Thread* const self = this_thread;
  if (self == nullptr) return;
  while (running != nullptr) {
    const Running& handler = *running;
    const bool stays = stack <= handler.frame && (handler.stack_high == 0 || stack >= handler.stack_low);
    if (stays) return;
    restore(*self, handler);
    self->inside = 0;  // a fault in the runtime: the jump leaves that, too
    if (*self->work % 2 != 0) __atomic_store_n(self->work, *self->work + 1, __ATOMIC_RELEASE);
  }
}

}  // namespace

bool handles_signals() {
  for (const Handler& handler : handlers)
    if (handler.function != nullptr) return true;
  return false;
}

bool handles_signal(int signal) {
  return signal > 0 && signal < kSignals && handlers[signal].function != nullptr;
}

std::uint32_t handlers_run() { return run_count; }

std::uint64_t change_signal_mask(std::uint64_t mask) {
  KernelMask old = 0;
  mask = blockable(mask);
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), reinterpret_cast<long>(&old),
              sizeof mask);
  return old;
}

std::uint64_t block_signals() {
  constexpr KernelMask kOfLibrary = bit(32) | bit(33);
  return change_signal_mask(~kFaults & ~kOfLibrary);
}

bool wants_restart(const Thread& self) { return (handlers[self.pending_signals].flags & SA_RESTART) != 0; }

void deliver_pending(Thread& self) {
  const auto signal = static_cast<int>(self.pending_signals);
  Kept now = kept;
  self.pending_signals = 0;
  const Handler handler = handlers[signal];
  struct sigaction action{};
  kernel_action(signal, nullptr, &action);
  KernelMask mask = now.mask | kernel_mask(action.sa_mask);
  if ((handler.flags & SA_NODEFER) == 0) mask |= bit(signal);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack = {};
  kernel_mask(context.uc_sigmask) = now.mask;
  change_signal_mask(mask);
  run_handler(&self, signal, &now.info, &context);
  change_signal_mask(kernel_mask(context.uc_sigmask));
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, sigaction, int signal, const struct sigaction* action, struct sigaction* old) {
  return set_action(signal, action, old);
}
RAVEL_INTERCEPT(sighandler_t, signal, int signal, sighandler_t handler) {
  return set_handler(signal, handler, [=] { return real_signal()(signal, handler); });
}
RAVEL_INTERCEPT(sighandler_t, bsd_signal, int signal, sighandler_t handler) {
  return set_handler(signal, handler, [=] { return real_signal()(signal, handler); });
}
RAVEL_INTERCEPT(sighandler_t, ssignal, int signal, sighandler_t handler) {
  return set_handler(signal, handler, [=] { return real_signal()(signal, handler); });
}
RAVEL_INTERCEPT(sighandler_t, __sysv_signal, int signal, sighandler_t handler) {
  return set_handler(signal, handler, [=] { return real___sysv_signal()(signal, handler); });
}
RAVEL_INTERCEPT(sighandler_t, sysv_signal, int signal, sighandler_t handler) {
  return set_handler(signal, handler, [=] { return real___sysv_signal()(signal, handler); });
}
RAVEL_INTERCEPT(sighandler_t, sigset, int signal, sighandler_t handler) {
  return set_handler(signal, handler, [=] { return real_sigset()(signal, handler); });
}

#define RAVEL_JUMP(name, real)                           \
  RAVEL_INTERCEPT(void, name, void* buffer, int value) { \
    leave_handlers(stack_of(buffer));                    \
    real()(buffer, value);                               \
    __builtin_unreachable();                             \
  }
RAVEL_JUMP(longjmp, real_longjmp)
RAVEL_JUMP(_longjmp, real_longjmp)
RAVEL_JUMP(siglongjmp, real_longjmp)
RAVEL_JUMP(__longjmp_chk, real___longjmp_chk)

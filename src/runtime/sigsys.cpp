#include "runtime/sigsys.h"

#include <errno.h>
#include <sys/syscall.h>

#include "runtime/real.h"

RAVEL_REAL_TYPED(sigaction, int (*)(int, const struct sigaction*, struct sigaction*))
RAVEL_REAL(pthread_sigmask)
RAVEL_REAL(sigprocmask)

namespace ravel::rt {
namespace {

constexpr std::uint64_t kBit = std::uint64_t{1} << (SIGSYS - 1);

constinit bool is_taken = false;
constinit struct sigaction programs{};  ///< its action

/// As rt_sigaction takes it.
struct KernelAction {
  sighandler_t handler;
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

std::uint64_t& word_of(sigset_t& set) { return *reinterpret_cast<std::uint64_t*>(&set); }

long exchange_by_number(const KernelAction* action, KernelAction* old) {
  struct sigaction given{}, was{};
  if (action != nullptr) {
    given.sa_handler = action->handler;
    given.sa_flags = static_cast<int>(action->flags);
    word_of(given.sa_mask) = action->mask;
  }
  exchange_sigsys(action != nullptr ? &given : nullptr, &was);
  if (old != nullptr)
    *old = {was.sa_handler, static_cast<unsigned long>(was.sa_flags), nullptr, word_of(was.sa_mask)};
  return 0;
}

/// Calls `change` with what may be blocked of a set.
template <typename Change>
int change_blockable(const sigset_t* set, Change change) {
  if (!is_taken || set == nullptr) return change(set);
  sigset_t without = *set;
  sigdelset(&without, SIGSYS);
  return change(&without);
}

}  // namespace

void take_over_sigsys(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  // Threads with little stack (Go's) have another one for signals. The mask stays: what the handler does may
  // take long, and the program's other signals must come.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
  real_sigaction()(SIGSYS, &action, &programs);
  system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&kBit), 0, sizeof kBit);
  is_taken = true;
}

bool has_taken_over(int signal) { return is_taken && signal == SIGSYS; }

int exchange_sigsys(const struct sigaction* action, struct sigaction* old) {
  const struct sigaction was = programs;
  if (action != nullptr) programs = *action;
  if (old != nullptr) *old = was;
  return 0;
}

void deliver_sigsys(siginfo_t* info, void* context) {
  const bool was_sent = info->si_code <= 0;
  if (programs.sa_handler == SIG_IGN && was_sent) return;
  if (programs.sa_handler != SIG_DFL && programs.sa_handler != SIG_IGN)
    return programs.sa_sigaction(SIGSYS, info, context);
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  real_sigaction()(SIGSYS, &action, nullptr);
  system_call(SYS_tgkill, process_id(), kernel_thread_id(), SIGSYS);
}

std::uint64_t blockable(std::uint64_t mask) { return is_taken ? mask & ~kBit : mask; }

long call_sigprocmask(const SystemCall& call) {
  SystemCall changed = call;
  std::uint64_t mask = 0;
  if (call.arguments[1] != 0 && is_taken) {
    mask = blockable(*reinterpret_cast<const std::uint64_t*>(call.arguments[1]));
    changed.arguments[1] = reinterpret_cast<long>(&mask);
  }
  return changed.run();
}

long call_sigaction(const SystemCall& call) {
  const auto* const action = reinterpret_cast<const KernelAction*>(call.arguments[1]);
  if (has_taken_over(static_cast<int>(call.arguments[0])))
    return exchange_by_number(action, reinterpret_cast<KernelAction*>(call.arguments[2]));
  SystemCall changed = call;
  KernelAction mine{};
  if (action != nullptr) {
    mine = *action;
    mine.mask = blockable(mine.mask);
    changed.arguments[1] = reinterpret_cast<long>(&mine);
  }
  return changed.run();
}

}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(int, sigprocmask, int how, const sigset_t* set, sigset_t* old) {
  return change_blockable(set, [=](const sigset_t* mine) { return real_sigprocmask()(how, mine, old); });
}
RAVEL_INTERCEPT(int, pthread_sigmask, int how, const sigset_t* set, sigset_t* old) {
  return change_blockable(set, [=](const sigset_t* mine) { return real_pthread_sigmask()(how, mine, old); });
}

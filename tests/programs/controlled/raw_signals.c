// All signals are blocked, SIGSYS has a handler of the program's own, and system calls by hand work all the same.
// PLAIN: plain/raw_calls.c
// EXPECT: output 1 2
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "controlled.h"
#include "plain/raw_calls.h"

static int word, sent, handled;

static void on_sigsys(int signal, siginfo_t* info, void* context) {
  if (info->si_code > 0)  // a filter has refused a call, which is given a result
    ((ucontext_t*)context)->uc_mcontext.gregs[REG_RAX] = 1234;
  else
    ++sent;
}

/// Its mask has all signals.
static void on_usr1(int signal) {
  raw_wake(&word, 1);
  ++handled;
}

static void set(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags};
  struct sigaction was;
  sigfillset(&action.sa_mask);
  CHECK(sigaction(signal, &action, NULL) == 0);
  CHECK(sigaction(signal, NULL, &was) == 0 && was.sa_sigaction == handler);
}

/// getppid is refused by a signal.
static void refuse_getppid() {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {4, code};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

static void* wait_raw(void* nothing) {
  while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0) raw_wait(&word, 0);
  return nothing;
}

int main() {
  set(SIGSYS, on_sigsys, SA_SIGINFO);
  kill(getpid(), SIGSYS);
  set(SIGUSR1, (void (*)(int, siginfo_t*, void*))on_usr1, 0);
  raise(SIGUSR1);

  // On a stack of its own, and by hand.
  static char memory[64 * 1024];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  CHECK(raw_call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0) == 0);
  set(SIGUSR1, (void (*)(int, siginfo_t*, void*))on_usr1, SA_ONSTACK);
  raise(SIGUSR1);

  sigset_t all, old;
  sigfillset(&all);
  CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
  const pthread_t waiter = start(wait_raw);
  CHECK(raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&old, 8, 0, 0) == 0);
  CHECK(sigismember(&old, SIGUSR1) == 1);
  raw_sleep(1000);
  __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
  raw_wake(&word, 1);
  join(waiter);

  refuse_getppid();
  CHECK(raw_call(SYS_getppid, 0, 0, 0, 0, 0, 0) == 1234);
  CHECK(getppid() == 1234);
  printf("%d %d\n", sent, handled);
}

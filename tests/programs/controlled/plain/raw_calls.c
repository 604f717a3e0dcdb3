#include "raw_calls.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

long raw_call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

void raw_sleep(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  raw_call(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}
void raw_wait(const int* word, int value) {
  raw_call(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, 0, 0, 0);
}
void raw_wake(const int* word, int count) {
  raw_call(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, count, 0, 0, 0);
}

/// Fills registers, makes a call that lets others run, and counts those that have changed.
int raw_call_keeps_registers(void) {
  long changed;
  __asm__ volatile(
      "mov $11, %%rdi\n\tmov $12, %%rsi\n\tmov $13, %%rdx\n\tmov $14, %%r8\n\tmov $15, %%r9\n\t"
      "mov $16, %%r10\n\tmov $17, %%r12\n\tmov $18, %%r13\n\tmov $19, %%r14\n\tmov $20, %%r15\n\t"
      "mov $21, %%rbx\n\tmovq %%rbx, %%xmm0\n\tmovq %%rbx, %%xmm15\n\t"
      "mov %[number], %%eax\n\tsyscall\n\t"
      "sub $11, %%rdi\n\tsub $12, %%rsi\n\tsub $13, %%rdx\n\tsub $14, %%r8\n\tsub $15, %%r9\n\t"
      "sub $16, %%r10\n\tsub $17, %%r12\n\tsub $18, %%r13\n\tsub $19, %%r14\n\tsub $20, %%r15\n\t"
      "sub $21, %%rbx\n\tor %%rdi, %%rax\n\tor %%rsi, %%rax\n\tor %%rdx, %%rax\n\tor %%r8, %%rax\n\t"
      "or %%r9, %%rax\n\tor %%r10, %%rax\n\tor %%r12, %%rax\n\tor %%r13, %%rax\n\tor %%r14, %%rax\n\t"
      "or %%r15, %%rax\n\tor %%rbx, %%rax\n\tmovq %%xmm0, %%rdi\n\tmovq %%xmm15, %%rsi\n\t"
      "xor %%rsi, %%rdi\n\tor %%rdi, %%rax\n\txor $21, %%rsi\n\tor %%rsi, %%rax"
      : "=&a"(changed)
      : [number] "i"(SYS_sched_yield)
      : "rbx", "rcx", "rdx", "rdi", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm15", "memory", "cc");
  return changed == 0;
}

/// 0: free, 1: taken, 2: taken, and somebody waits (Drepper 2011).
void raw_lock(int* mutex) {
  int seen = 0;
  if (__atomic_compare_exchange_n(mutex, &seen, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  while (__atomic_exchange_n(mutex, 2, __ATOMIC_ACQUIRE) != 0) raw_wait(mutex, 2);
}
void raw_unlock(int* mutex) {
  if (__atomic_exchange_n(mutex, 0, __ATOMIC_RELEASE) == 2) raw_wake(mutex, 1);
}

// System calls by hand, which no runtime sees.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

static long call(long number, const void* a, long b, long c, const void* d) {
  long result;
  register const void* fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

void raw_sleep(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  call(SYS_nanosleep, &time, 0, 0, 0);
}
void raw_wait(const int* word, int value) { call(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, 0); }
void raw_wake(const int* word) { call(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0); }

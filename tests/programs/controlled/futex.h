// The futex system call, as a program that has no library for it makes it.
#pragma once

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "controlled.h"

static inline long futex(uint32_t* word, int operation, uint32_t value, const struct timespec* time,
                         uint32_t* other, uint32_t last) {
  return syscall(SYS_futex, word, operation, value, time, other, last);
}

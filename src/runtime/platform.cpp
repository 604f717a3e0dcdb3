#include "runtime/platform.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

namespace ravel::rt {
namespace {

using LibraryCall = long (*)(long, ...);
constinit LibraryCall through = nullptr;

}  // namespace

void call_through(long (*library_call)(long, ...)) { through = library_call; }

long system_call(long number, long a, long b, long c, long d, long e, long f) {
  long result = 0;
  if (through != nullptr) {
    const int saved = errno;
    result = through(number, a, b, c, d, e, f);
    if (result != -1) return result;
    result = -errno;
    errno = saved;
    return result;
  }
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

namespace {

std::size_t length_of(const char* text) {
  std::size_t length = 0;
  // The empty statement keeps the loop from becoming a call of strlen, which is intercepted.
  for (; text[length] != '\0'; ++length) asm("");
  return length;
}

}  // namespace

void* reserve_memory(std::size_t bytes) {
  const long at = system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return is_error(at) ? nullptr : reinterpret_cast<void*>(at);
}

bool reserve_memory_at(std::uintptr_t address, std::size_t bytes) {
  const long at =
      system_call(SYS_mmap, static_cast<long>(address), static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == static_cast<long>(address)) return true;
  if (!is_error(at)) system_call(SYS_munmap, at, static_cast<long>(bytes));  // a kernel without NOREPLACE
  return false;
}

void release_memory(void* memory, std::size_t bytes) {
  system_call(SYS_munmap, reinterpret_cast<long>(memory), static_cast<long>(bytes));
}

void forget_memory(std::uintptr_t address, std::size_t bytes) {
  if (bytes > 0)
    system_call(SYS_madvise, static_cast<long>(address), static_cast<long>(bytes), MADV_DONTNEED);
}

std::uint32_t process_id() { return static_cast<std::uint32_t>(system_call(SYS_getpid)); }
std::uint32_t kernel_thread_id() { return static_cast<std::uint32_t>(system_call(SYS_gettid)); }

std::uint64_t clock_nanoseconds() {
  timespec now{};
  system_call(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void wait_on(const void* word, std::uint32_t value, unsigned milliseconds) {
  const timespec time{milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1'000'000};
  system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT, value, reinterpret_cast<long>(&time));
}

void yield_processor() { system_call(SYS_sched_yield); }

void complain(const char* text, const char* more, const char* last) {
  const char* pieces[] = {"ravel: ", text, more, last, "\n"};
  iovec parts[5];
  for (int i = 0; i < 5; ++i) parts[i] = {const_cast<char*>(pieces[i]), length_of(pieces[i])};
  system_call(SYS_writev, 2, reinterpret_cast<long>(parts), 5);
}

void die(const char* text) {
  complain(text);
  system_call(SYS_exit_group, 70);
  __builtin_unreachable();
}

Text& Text::add(const char* text) { return add(text, length_of(text)); }

Text& Text::add(const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) put(text[i]);
  return *this;
}

Text& Text::number(std::uint64_t value, unsigned base) {
  char digits[64];
  unsigned count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  while (count > 0) put(digits[--count]);
  return *this;
}

Text& Text::word(const char* text) { return word(text, length_of(text)); }

Text& Text::word(const char* text, std::size_t length) {
  for (std::size_t i = 0; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte > ' ' && byte < 0x7f && byte != '%') {
      put(text[i]);
    } else {
      put('%');
      put("0123456789abcdef"[byte >> 4]);
      put("0123456789abcdef"[byte & 15]);
    }
  }
  return *this;
}

}  // namespace ravel::rt

// What the runtime asks of the system, by system calls of its own: it must not run into its own interceptors,
// nor allocate, nor touch errno.
#pragma once

#include <cstddef>
#include <cstdint>

#define RAVEL_NOINLINE __attribute__((noinline))
#define RAVEL_INLINE __attribute__((always_inline)) inline
#define RAVEL_INTERFACE extern "C" __attribute__((visibility("default")))

namespace ravel::rt {

inline constexpr std::size_t kPageBytes = 4096;

/// Result of a system call: -errno on failure.
long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);
inline bool is_error(long result) { return result < 0 && result > -4096; }
/// From now on the runtime's calls are made by this function, the C library's own syscall().
void call_through(long (*library_call)(long, ...));

/// Zeroed private memory that is backed when touched; nullptr if there is none.
void* reserve_memory(std::size_t bytes);
bool reserve_memory_at(std::uintptr_t address, std::size_t bytes);
void release_memory(void* memory, std::size_t bytes);
/// Makes whole pages zero again and gives their memory back.
void forget_memory(std::uintptr_t address, std::size_t bytes);

std::uint32_t process_id();
std::uint32_t kernel_thread_id();
std::uint64_t clock_nanoseconds();

/// Waits while `*word == value`, at most `milliseconds`.
void wait_on(const void* word, std::uint32_t value, unsigned milliseconds);
void yield_processor();
/// In a loop that waits for something short, its turn `i`: the owner is most often at work on another
/// processor.
RAVEL_INLINE void pause_or_yield(int i) {
  constexpr int kPauses = 100;
  if (i < kPauses)
    __builtin_ia32_pause();
  else
    yield_processor();
}

/// Writes "ravel: " and the pieces as one line to standard error.
void complain(const char* text, const char* more = "", const char* last = "");
/// The same, then ends the process: the runtime itself is broken.
[[noreturn]] void die(const char* text);

/// A small buffer of text: appends what fits.
class Text {
 public:
  Text(char* buffer, std::size_t size) : at_(buffer), begin_(buffer), end_(buffer + size - 1) { *at_ = '\0'; }
  Text& add(const char* text);
  Text& add(const char* text, std::size_t length);
  Text& number(std::uint64_t value, unsigned base = 10);
  /// Blanks, '%' and what is not printable as %XX: a word of a note (event/stream.h).
  Text& word(const char* text);
  Text& word(const char* text, std::size_t length);
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }
  bool full() const { return at_ == end_; }

 private:
  void put(char c) {
    if (at_ == end_) return;
    *at_++ = c;
    *at_ = '\0';
  }
  char* at_;
  char* begin_;
  char* end_;
};

/// A lock for the runtime's own rare work.
class SpinLock {
 public:
  void lock() {
    while (__atomic_exchange_n(&taken_, 1, __ATOMIC_ACQUIRE) != 0)
      for (int i = 0; __atomic_load_n(&taken_, __ATOMIC_RELAXED) != 0; ++i) pause_or_yield(i);
  }
  void unlock() { __atomic_store_n(&taken_, 0, __ATOMIC_RELEASE); }

 private:
  std::uint32_t taken_ = 0;
};

class Locked {
 public:
  explicit Locked(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace ravel::rt

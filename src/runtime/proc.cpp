#include "runtime/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/platform.h"

namespace ravel::rt {
namespace {

long open(const char* path, int flags) {
  return system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC);
}

/// Reads a file byte by byte, for whoever needs no more than a look.
class Bytes {
 public:
  explicit Bytes(const char* path) : file_(open(path, O_RDONLY)) {}
  ~Bytes() {
    if (file_ >= 0) system_call(SYS_close, file_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  /// -1: there are no more.
  int next() {
    if (at_ == size_) {
      size_ = file_ < 0 ? 0 : system_call(SYS_read, file_, reinterpret_cast<long>(buffer_), sizeof buffer_);
      at_ = 0;
      if (size_ <= 0) return size_ = 0, -1;
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }

 private:
  long file_;
  long at_ = 0;
  long size_ = 0;
  char buffer_[4096];
};

/// A hexadecimal number; `end` is the byte behind it.
std::uintptr_t read_number(Bytes& bytes, int& end) {
  std::uintptr_t number = 0;
  while (true) {
    end = bytes.next();
    if (end >= '0' && end <= '9')
      number = number * 16 + static_cast<std::uintptr_t>(end - '0');
    else if (end >= 'a' && end <= 'f')
      number = number * 16 + static_cast<std::uintptr_t>(end - 'a' + 10);
    else
      return number;
  }
}

/// Goes behind the next occurrence of the text, whose first byte occurs in it only once.
bool find(Bytes& bytes, const char* text) {
  std::size_t matched = 0;
  while (text[matched] != '\0') {
    const int byte = bytes.next();
    if (byte < 0) return false;
    if (byte == text[matched])
      ++matched;
    else
      matched = byte == text[0] ? 1 : 0;
  }
  return true;
}

/// As ps shows it; 0: there is no such thread.
char state_of(std::uint32_t kernel_thread) {
  char path[64];
  Text(path, sizeof path).add("/proc/self/task/").number(kernel_thread).add("/stat");
  const long file = open(path, O_RDONLY);
  if (file < 0) return 0;
  char text[512];
  const long size = system_call(SYS_read, file, reinterpret_cast<long>(text), sizeof text);
  system_call(SYS_close, file);
  // The name before the state may hold anything, also parentheses.
  for (long i = size - 3; i >= 0; --i)
    if (text[i] == ')') return text[i + 2];
  return 0;
}

bool has_ended(char state) { return state == 0 || state == 'Z' || state == 'X'; }

/// A set of signals, which the kernel shows under this name.
std::uint64_t signal_set(std::uint32_t kernel_thread, const char* name) {
  char path[64];
  Text(path, sizeof path).add("/proc/self/task/").number(kernel_thread).add("/status");
  Bytes status(path);
  int end = 0;
  return find(status, name) ? read_number(status, end) : 0;
}

}  // namespace

bool is_asleep(std::uint32_t kernel_thread) {
  const char state = state_of(kernel_thread);
  return state == 'S' || state == 'D';
}

bool thread_exists(std::uint32_t kernel_thread) {
  return system_call(SYS_tgkill, process_id(), kernel_thread, 0) != -ESRCH &&
         !has_ended(state_of(kernel_thread));
}

std::uint64_t pending_signals(std::uint32_t kernel_thread) {
  return signal_set(kernel_thread, "\nSigPnd:\t") | signal_set(kernel_thread, "\nShdPnd:\t");
}

std::uint64_t blocked_signals(std::uint32_t kernel_thread) {
  return signal_set(kernel_thread, "\nSigBlk:\t");
}

bool has_armed_timer() {
  itimerval alarm{};
  system_call(SYS_getitimer, ITIMER_REAL, reinterpret_cast<long>(&alarm));
  if (alarm.it_value.tv_sec != 0 || alarm.it_value.tv_usec != 0) return true;
  Bytes timers("/proc/self/timers");
  while (find(timers, "ID: ")) {
    long id = 0;
    for (int digit = timers.next(); digit >= '0' && digit <= '9'; digit = timers.next())
      id = id * 10 + digit - '0';
    itimerspec timer{};
    system_call(SYS_timer_gettime, id, reinterpret_cast<long>(&timer));
    if (timer.it_value.tv_sec != 0 || timer.it_value.tv_nsec != 0) return true;
  }
  return false;
}

bool has_children() {
  siginfo_t child{};
  return system_call(SYS_waitid, P_ALL, 0, reinterpret_cast<long>(&child), WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool has_other_threads(std::size_t known) {
  const long folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (folder < 0) return false;
  std::size_t count = 0;
  alignas(8) char entries[4096];
  while (true) {
    const long size = system_call(SYS_getdents64, folder, reinterpret_cast<long>(entries), sizeof entries);
    if (size <= 0) break;
    for (long at = 0; at < size;) {
      struct Entry {  // the kernel's linux_dirent64
        std::uint64_t node;
        std::int64_t next;
        unsigned short length;
        unsigned char type;
        char name[1];
      };
      const auto* const entry = reinterpret_cast<const Entry*>(entries + at);
      if (entry->name[0] != '.') ++count;
      at += entry->length;
    }
  }
  system_call(SYS_close, folder);
  if (has_ended(state_of(process_id()))) --count;
  return count > known;
}

bool is_shared_memory(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  Bytes maps("/proc/self/maps");
  while (true) {
    int byte = 0;
    const std::uintptr_t begin = read_number(maps, byte);
    const std::uintptr_t end = read_number(maps, byte);
    if (byte < 0) return false;
    for (int i = 0; i < 3; ++i) maps.next();  // "rwx"
    if (const int sharing = maps.next(); wanted >= begin && wanted < end) return sharing == 's';
    do byte = maps.next();
    while (byte >= 0 && byte != '\n');
  }
}

}  // namespace ravel::rt

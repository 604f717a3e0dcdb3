#include "runtime/step_log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/platform.h"
#include "runtime/stream_writer.h"

namespace ravel::rt {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{8} << 30;
constexpr std::uint64_t kExtent = std::uint64_t{1} << 20;

}  // namespace

void StepLog::create(const char* stream_path) {
  *this = {};
  char path[4096 + 16];
  const std::size_t stem = strlen(stream_path) - strlen(".rvl");
  Text(path, sizeof path).add(stream_path, stem).add(".steps");
  const long file = system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path),
                                O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  file_ = move_high(static_cast<int>(file));
  memory_ = static_cast<char*>(reserve_memory(kLargest));
  if (memory_ == nullptr || !grow()) return;
  head_ = reinterpret_cast<step_log::Head*>(memory_);
  head_->magic = step_log::kMagic;
  used_ = step_log::kHeadBytes;
}

bool StepLog::grow() {
  if (mapped_ + kExtent > kLargest || !extend_file(file_, mapped_, kExtent)) return false;
  const long at =
      system_call(SYS_mmap, reinterpret_cast<long>(memory_ + mapped_), static_cast<long>(kExtent),
                  PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, static_cast<long>(mapped_));
  if (at != reinterpret_cast<long>(memory_ + mapped_)) return false;
  mapped_ += kExtent;
  return true;
}

void StepLog::append(std::uint32_t what) {
  if (head_ == nullptr) return;
  if (used_ + sizeof(step_log::Entry) > mapped_ && !grow()) {
    head_ = nullptr;
    return;
  }
  last_ = reinterpret_cast<step_log::Entry*>(memory_ + used_);
  used_ += sizeof(step_log::Entry);
  last_->thread_and_kind = what;
  last_->times.store(1, std::memory_order_relaxed);
  head_->count.store(head_->count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

}  // namespace ravel::rt

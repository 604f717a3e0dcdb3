// Pool: objects of one kind that come and go, in memory of the runtime's own that stays what it is: an object
// that was given back may be looked at, it is only no longer what it was.
#pragma once

#include "runtime/platform.h"

namespace ravel::rt {

/// Threads may share it. T has a member `T* next`, which is the pool's while the object is not in use.
template <typename T>
class Pool {
 public:
  /// Zeroed.
  T* take() {
    const Locked lock(lock_);
    if (free_ == nullptr) grow();
    T* const object = free_;
    free_ = object->next;
    *object = {};
    return object;
  }

  void give_back(T* object) {
    const Locked lock(lock_);
    object->next = free_;
    free_ = object;
  }

  void free_lock() { lock_ = {}; }

 private:
  static constexpr std::size_t kBytes = 64 * kPageBytes;

  void grow() {
    auto* const objects = static_cast<T*>(reserve_memory(kBytes));
    if (objects == nullptr) die("no memory left");
    for (std::size_t i = 0; i < kBytes / sizeof(T); ++i) {
      objects[i].next = free_;
      free_ = &objects[i];
    }
  }

  SpinLock lock_;
  T* free_ = nullptr;
};

}  // namespace ravel::rt

// LargeAllocator: memory for big tables that are accessed all over. From 2 MiB on it asks for huge pages:
// with small ones most look-ups in such a table miss the TLB, which costs more than the look-up.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace ravel {

template <typename T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <typename U>
  explicit(false) LargeAllocator(const LargeAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kHugePage) return static_cast<T*>(::operator new(bytes, std::align_val_t(alignof(T))));
    void* memory = ::operator new(rounded(bytes), std::align_val_t(kHugePage));
    madvise(memory, rounded(bytes), MADV_HUGEPAGE);  // a wish: without it everything still works
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    const bool large = count * sizeof(T) >= kHugePage;
    ::operator delete(memory, std::align_val_t(large ? kHugePage : alignof(T)));
  }
  friend bool operator==(const LargeAllocator&, const LargeAllocator&) { return true; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;
  static std::size_t rounded(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }
};

}  // namespace ravel

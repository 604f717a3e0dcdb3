// Memory for big tables that are accessed all over. Large ones ask for huge pages: with small ones most
// look-ups in such a table miss the TLB, which costs more than the look-up.
//
// LargeAllocator is for containers. LargeTable is an array of zeros that grows without being copied, and
// takes memory only where it was written to. LargeList holds values that cannot be that, and does not move
// them.
#pragma once

#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

namespace ravel {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

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
  static std::size_t rounded(std::size_t bytes) { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }
};

template <typename T>
class LargeTable {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)));

  LargeTable() = default;
  ~LargeTable() {
    if (entries_ != nullptr) munmap(entries_, size_ * sizeof(T));
  }
  LargeTable(const LargeTable&) = delete;
  LargeTable& operator=(const LargeTable&) = delete;

  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return entries_[index]; }
  const T& operator[](std::size_t index) const { return entries_[index]; }

  /// At least so many entries; the new ones are zeros. Pointers into the table become invalid.
  void grow(std::size_t count) {
    constexpr std::size_t kFirst = (std::size_t{64} << 10) / sizeof(T);
    const std::size_t size = std::bit_ceil(count < kFirst ? kFirst : count);
    void* const memory = reserve(size * sizeof(T));
    if (entries_ != nullptr && mremap(entries_, size_ * sizeof(T), size_ * sizeof(T),
                                      MREMAP_MAYMOVE | MREMAP_FIXED, memory) == MAP_FAILED)
      throw std::bad_alloc();
    if (size * sizeof(T) >= kHugePage) madvise(memory, size * sizeof(T), MADV_HUGEPAGE);  // a wish
    entries_ = static_cast<T*>(memory);
    size_ = size;
  }

 private:
  /// Zeros at the start of a huge page.
  static void* reserve(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<char*>(memory);
    const std::size_t before = (kHugePage - std::bit_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
    if (before > 0) munmap(begin, before);
    munmap(begin + before + bytes, kHugePage - before);
    return begin + before;
  }

  T* entries_ = nullptr;
  std::size_t size_ = 0;
};

template <typename T>
class LargeList {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) {
    const std::size_t chunk = chunk_of(index);
    return chunks_[chunk][index - begin_of(chunk)];
  }
  const T& operator[](std::size_t index) const {
    const std::size_t chunk = chunk_of(index);
    return chunks_[chunk][index - begin_of(chunk)];
  }
  T& emplace_back() {
    const std::size_t chunk = chunk_of(size_++);
    if (chunk == chunks_.size()) chunks_.emplace_back().reserve(kFirst << chunk);
    return chunks_[chunk].emplace_back();
  }

 private:
  // Each chunk is twice as long as the one before.
  static constexpr std::size_t kFirst = 64;
  static std::size_t chunk_of(std::size_t index) {
    return static_cast<std::size_t>(std::bit_width(index / kFirst + 1)) - 1;
  }
  static std::size_t begin_of(std::size_t chunk) { return (kFirst << chunk) - kFirst; }

  std::vector<std::vector<T, LargeAllocator<T>>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace ravel

// Arena: memory for values that are built once and thrown away together.
//
// The schedule module runs inside the user's program, where the heap is the program's own. It takes memory
// from here only, and the arena takes it from its caller: one block, or as many as a function of the caller's
// hands out. The caller owns the blocks; the arena never frees. No destructor ever runs for what lives in it.
// Owned by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ravel {

class Arena {
 public:
  /// Hands out a block of at least `size` bytes; an empty span means that there is no more memory.
  using MoreMemory = std::span<std::byte> (*)(void* context, std::size_t size);

  explicit Arena(std::span<std::byte> memory) : free_(memory) {}
  Arena(MoreMemory more, void* context) : more_(more), context_(context) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// nullptr: out of memory. `alignment` is a power of two.
  void* allocate(std::size_t size, std::size_t alignment);

  /// Uninitialised room for `count` values; nullptr: out of memory.
  template <typename T>
  T* allocate_array(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    if (count > SIZE_MAX / sizeof(T)) return nullptr;
    return static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
  }

  /// A new value; nullptr: out of memory.
  template <typename T, typename... Arguments>
  T* make(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    void* room = allocate(sizeof(T), alignof(T));
    return room == nullptr ? nullptr : ::new (room) T(std::forward<Arguments>(arguments)...);
  }

  /// A copy that is followed by a NUL, so that it can be handed to the C library. data() is nullptr: out of
  /// memory.
  std::string_view copy(std::string_view text);

 private:
  std::span<std::byte> free_;
  MoreMemory more_ = nullptr;
  void* context_ = nullptr;
};

/// A growing array in an arena. Outgrown copies stay behind in the arena: at most as much again as the array
/// itself.
template <typename T>
class ArenaVector {
 public:
  explicit ArenaVector(Arena& arena) : arena_(arena) {}

  /// false: out of memory; the array is as before.
  [[nodiscard]] bool push_back(const T& value) {
    if (size_ == capacity_) {
      const std::size_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
      T* bigger = arena_.allocate_array<T>(capacity);
      if (bigger == nullptr) return false;
      if (size_ != 0) std::memcpy(static_cast<void*>(bigger), data_, size_ * sizeof(T));
      data_ = bigger;
      capacity_ = capacity;
    }
    ::new (static_cast<void*>(data_ + size_)) T(value);  // placement: allocates nothing
    ++size_;
    return true;
  }

  std::size_t size() const { return size_; }
  T& back() { return data_[size_ - 1]; }
  std::span<const T> values() const { return {data_, size_}; }

 private:
  Arena& arena_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace ravel

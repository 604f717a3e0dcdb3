#include "schedule/arena.h"

namespace ravel {
namespace {

/// Bytes to skip until `pointer` is aligned.
std::size_t padding(const std::byte* pointer, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return static_cast<std::size_t>(-address & (alignment - 1));
}

}  // namespace

void* Arena::allocate(std::size_t size, std::size_t alignment) {
  std::size_t skip = padding(free_.data(), alignment);
  if (free_.size() < skip || free_.size() - skip < size) {
    if (more_ == nullptr || size > SIZE_MAX - alignment) return nullptr;
    const std::span<std::byte> block = more_(context_, size + alignment);
    skip = padding(block.data(), alignment);
    if (block.size() < skip || block.size() - skip < size) return nullptr;
    free_ = block;
  }
  std::byte* result = free_.data() + skip;
  free_ = {result + size, free_.size() - skip - size};
  return result;
}

std::string_view Arena::copy(std::string_view text) {
  char* room = text.size() == SIZE_MAX ? nullptr : allocate_array<char>(text.size() + 1);
  if (room == nullptr) return {};
  if (!text.empty()) std::memcpy(room, text.data(), text.size());
  room[text.size()] = '\0';
  return {room, text.size()};
}

}  // namespace ravel

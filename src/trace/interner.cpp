#include "trace/interner.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ravel {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

// The keys of longer names begin with a byte that no name which is its own key begins with.
constexpr std::uint64_t kHashed = 0x01;

/// Up to eight bytes, the first in the lowest ones.
std::uint64_t load(std::string_view bytes) {
  const std::size_t size = bytes.size();
  if (size >= 4) {  // two loads that overlap
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + size - 4, 4);
    return low | std::uint64_t{high} << (8 * (size - 4));
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

NameKey::NameKey(std::string_view name)
    : whole(name.size() <= sizeof bits &&
            (name.empty() || (name.front() != kHashed && name.back() != '\0'))) {
  bits = whole ? load(name) : (hash_of(name) & ~std::uint64_t{0xff}) | kHashed;
}

void IndexTable::grow() {
  const auto old = std::move(slots_);
  slots_.assign(old.empty() ? kFirstSlots : old.size() * 2, Slot{});
  CHECK(slots_.size() <= std::uint64_t{1} << 32, "more names than an index can hold");
  const std::uint64_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.index == kNone) continue;
    std::uint64_t i = home(slot.key) & mask;
    while (slots_[i].index != kNone) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

std::optional<std::uint32_t> NameInterner::intern(std::string_view name, const NameKey& key,
                                                  bool (*accept)(std::string_view)) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  bool accepted = true;
  const auto is_accepted = [&] { return accepted = accept == nullptr || accept(name); };
  const auto is_equal = [&](std::uint32_t known) { return key.whole || names_[known] == name; };
  const std::uint32_t index = table_.find_or_add(key.bits, next, is_equal, is_accepted);
  if (index != IndexTable::kNone) return index;
  if (!accepted) return std::nullopt;
  names_.emplace_back(name);
  return next;
}

PlaceId PlaceInterner::intern(std::string_view file, std::uint64_t line, std::string_view function) {
  const auto next = static_cast<std::uint32_t>(places_.size());
  std::uint64_t hash = XXH3_64bits_withSeed(&line, sizeof line, 0);
  if (!file.empty()) hash = hash_of(file, hash);
  if (!function.empty()) hash = hash_of(function, hash);
  const auto is_equal = [&](std::uint32_t known) {
    const Place& place = places_[known];
    return place.line == line && place.file == file && place.function == function;
  };
  const std::uint32_t index = table_.find_or_add(hash, next, is_equal, [] { return true; });
  if (index != IndexTable::kNone) return PlaceId(index);
  places_.push_back({std::string(file), line, std::string(function)});
  return PlaceId(next);
}

}  // namespace ravel

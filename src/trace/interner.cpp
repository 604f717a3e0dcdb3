#include "trace/interner.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ravel {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

// Names of up to eight bytes, which most are, are their own keys: equal keys mean equal names, and no name
// need be looked at. Other keys begin with a byte that no such key begins with.
constexpr std::uint64_t kHashed = 0x01;

bool is_own_key(std::string_view name) {
  return name.size() <= sizeof(std::uint64_t) &&
         (name.empty() || (name.front() != kHashed && name.back() != '\0'));
}

std::uint64_t key_of(std::string_view name) {
  if (!is_own_key(name)) return (hash_of(name) & ~std::uint64_t{0xff}) | kHashed;
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < name.size(); ++i)
    key |= std::uint64_t{static_cast<unsigned char>(name[i])} << (8 * i);
  return key;
}

}  // namespace

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

std::optional<std::uint32_t> NameInterner::intern(std::string_view name, bool (*accept)(std::string_view)) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  bool accepted = true;
  const auto is_accepted = [&] { return accepted = accept == nullptr || accept(name); };
  const bool own_key = is_own_key(name);
  const auto is_equal = [&](std::uint32_t known) { return own_key || names_[known] == name; };
  const std::uint32_t index = table_.find_or_add(key_of(name), next, is_equal, is_accepted);
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

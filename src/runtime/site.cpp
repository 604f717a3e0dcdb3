#include "runtime/site.h"

#include "runtime/code.h"
#include "runtime/recorder.h"

namespace ravel::rt {

constinit std::uint64_t* group_table = nullptr;

namespace {

/// A group is in one of so many entries. If they are taken, it gets no number, as if all were.
constexpr std::uint32_t kProbes = 256;
constexpr std::size_t kTableBytes = kGroupEntries * sizeof(std::uint64_t);

/// The rest is for code addresses alone.
constexpr std::uint32_t kMaxGroupsInCalls = stream::kMaxGroups / 8 * 7;

constinit std::uint32_t group_count = 1;  // 0 is none
constinit SpinLock adding;

/// The entry that has the key or, if none has, the one to put it in; null: there is none.
std::uint64_t* find_entry(std::uint32_t hash, std::uint64_t key) {
  for (std::uint32_t i = 0; i < kProbes; ++i) {
    std::uint64_t& entry = group_table[(hash + i) % kGroupEntries];
    const std::uint64_t now = __atomic_load_n(&entry, __ATOMIC_ACQUIRE);
    if (now == 0 || now >> kGroupNumberBits == key) return &entry;
  }
  return nullptr;
}

/// Fills an entry that was empty. Somebody else may be about to do the same.
void add_group(std::uint64_t& entry, std::uint64_t key, const stream::SiteGroup& group) {
  const Locked lock(adding);
  if (entry != 0 || group_count >= (group.caller == 0 ? stream::kMaxGroups : kMaxGroupsInCalls)) return;
  stream::SiteGroup* const added = recorder.stream.take_group(group_count);
  if (added == nullptr) return;
  *added = group;
  __atomic_store_n(&entry, key << kGroupNumberBits | group_count++, __ATOMIC_RELEASE);
}

}  // namespace

std::uint32_t find_site(std::uint32_t caller, std::uint32_t code) {
  const stream::SiteGroup group{code / stream::kGroupSites, caller};
  const std::uint64_t key = std::uint64_t{group.code} << kCallerBits | caller;
  if (key >> (64 - kGroupNumberBits) != 0) return 0;  // more code than any program has
  while (std::uint64_t* const entry = find_entry(group_hash(caller, group.code), key)) {
    if (*entry == 0) add_group(*entry, key, group);
    if (*entry == 0) break;
    if (*entry >> kGroupNumberBits != key) continue;  // another group was faster
    return static_cast<std::uint32_t>(*entry) % (1U << kGroupNumberBits) * stream::kGroupSites +
           code % stream::kGroupSites;
  }
  return 0;
}

std::uint32_t find_calls(Thread& self) {
  std::uint32_t known = self.depth;
  while (known > 0 && self.calls[known - 1].site == 0) --known;
  std::uint32_t site = known > 0 ? self.calls[known - 1].site : 0;
  for (std::uint32_t i = known; i < self.depth; ++i) {
    if (site != kNoSite) site = site_in(site, code_of(self.calls[i].call));
    if (site == 0) site = kNoSite;
    self.calls[i].site = site;
  }
  return site;
}

void forget_sites() {
  if (group_table == nullptr)
    group_table = static_cast<std::uint64_t*>(reserve_memory(kTableBytes));
  else
    forget_memory(reinterpret_cast<std::uintptr_t>(group_table), kTableBytes);
  if (group_table == nullptr) die("no memory for the table of sites");
  group_count = 1;
  adding = {};
}

}  // namespace ravel::rt

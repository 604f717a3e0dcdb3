// Sites: a place in the code with the calls around it, as one small number that fits into a cell
// (event/stream.h). Their groups are in the stream's file, where the reader finds them, and here in a table
// by which threads find them without a lock.
//
// Only who must remember an access asks for its site, and each call keeps its own: so functions whose
// accesses are all repetitions pay nothing.
#pragma once

#include <cstdint>

#include "event/stream.h"
#include "runtime/code.h"
#include "runtime/thread.h"

namespace ravel::rt {

/// The site of a call for which there was no number left, and of all calls within it.
inline constexpr std::uint32_t kNoSite = UINT32_MAX;

// An entry of the table: code / kGroupSites 25 bits, caller 22 (the two are the key), number 17.
inline constexpr unsigned kGroupNumberBits = 17;
inline constexpr unsigned kCallerBits = 22;
static_assert(stream::kMaxGroups <= 1U << kGroupNumberBits && stream::kMaxSites <= 1U << kCallerBits);
inline constexpr std::uint32_t kGroupEntries = 2 * stream::kMaxGroups;
extern std::uint64_t* group_table;

/// The groups of a function that runs lie side by side: it asks for one after the other.
RAVEL_INLINE std::uint32_t group_hash(std::uint32_t caller, std::uint32_t group_code) {
  return (caller * 0x9e37'79b1U >> 12) + group_code;
}

/// A site whose group is not where it is looked for first. 0: there is no number left.
RAVEL_NOINLINE std::uint32_t find_site(std::uint32_t caller, std::uint32_t code);

/// A site if its group is where it is looked for first; 0: it is not.
RAVEL_INLINE std::uint32_t look_for_site(std::uint32_t caller, std::uint32_t code) {
  const std::uint32_t group_code = code / stream::kGroupSites;
  const std::uint64_t key = std::uint64_t{group_code} << kCallerBits | caller;
  const std::uint64_t entry =
      __atomic_load_n(&group_table[group_hash(caller, group_code) % kGroupEntries], __ATOMIC_ACQUIRE);
  if (entry >> kGroupNumberBits != key) return 0;
  const auto number = static_cast<std::uint32_t>(entry) % (1U << kGroupNumberBits);
  return number * stream::kGroupSites + code % stream::kGroupSites;
}

RAVEL_INLINE std::uint32_t site_in(std::uint32_t caller, std::uint32_t code) {
  const std::uint32_t site = look_for_site(caller, code);
  return site != 0 ? site : find_site(caller, code);
}

/// Finds the sites of the thread's calls, as far as it has not yet, and returns that of the innermost.
RAVEL_NOINLINE std::uint32_t find_calls(Thread& self);

/// The site of the code address in the calls that the thread is in. If there is no number left for it, which
/// deep recursions may use up, that of the code address alone; 0: none for that either.
RAVEL_INLINE std::uint32_t site_of(Thread& self, std::uint32_t code) {
  if (self.depth - 1 >= Thread::kMaxCalls) return site_in(0, code);
  std::uint32_t caller = self.calls[self.depth - 1].site;
  if (caller == 0) caller = find_calls(self);
  if (caller == kNoSite) [[unlikely]]
    return site_in(0, code);
  const std::uint32_t site = site_in(caller, code);
  return site != 0 ? site : site_in(0, code);
}

/// The entry for a place in the program's own code: it may be another one's.
RAVEL_INLINE KnownSite& known_entry(Thread& self, std::uint32_t caller, Pc pc) {
  return self.known_sites[(pc + caller) % Thread::kKnownSites];
}

/// A site of main code that the thread has looked for lately; 0: it has not.
RAVEL_INLINE std::uint32_t recent_site(Thread& self, std::uint32_t caller, Pc pc) {
  const KnownSite& known = known_entry(self, caller, pc);
  return known.pc == pc && known.caller == caller ? known.site : 0;
}

/// A site of main code if its group is where it is looked for first; 0: it is not.
RAVEL_INLINE std::uint32_t remember_site(Thread& self, std::uint32_t caller, Pc pc) {
  const std::uint32_t site = look_for_site(caller != kNoSite ? caller : 0, main_code_of(pc));
  if (site != 0) known_entry(self, caller, pc) = {pc, caller, site};
  return site;
}

/// The site of the innermost call that the thread is in. `find` looks for it if nobody has asked before, and
/// it is in main code: (caller, pc) -> site, 0: it is not known. 0: so is this.
template <typename Find>
RAVEL_INLINE std::uint32_t known_caller(Thread& self, Find find) {
  const std::uint32_t top = self.depth - 1;
  if (top >= Thread::kMaxCalls) return 0;
  CallFrame& call = self.calls[top];
  if (call.site != 0) return call.site;
  if (top == 0) return 0;
  const std::uint32_t around = self.calls[top - 1].site;
  if (around != 0) call.site = find(around, call.call);
  return call.site;
}

/// The same as site_of(), for main code, as far as that needs no function to be called; 0: it does.
RAVEL_INLINE std::uint32_t known_site(Thread& self, Pc pc) {
  const auto find = [&](std::uint32_t caller, Pc at) {
    const std::uint32_t site = recent_site(self, caller, at);
    return site != 0 ? site : remember_site(self, caller, at);
  };
  const std::uint32_t caller = known_caller(self, [&](std::uint32_t around, Pc call) -> std::uint32_t {
    if (!is_main_code(call)) return 0;
    return around == kNoSite ? kNoSite : find(around, call);
  });
  return caller != 0 ? find(caller, pc) : 0;
}

/// The same, if the thread has looked for it lately.
RAVEL_INLINE std::uint32_t site_at_once(Thread& self, Pc pc) {
  const std::uint32_t caller =
      known_caller(self, [&](std::uint32_t around, Pc call) { return recent_site(self, around, call); });
  return caller != 0 ? recent_site(self, caller, pc) : 0;
}

/// In a new stream: there are none.
void forget_sites();

}  // namespace ravel::rt

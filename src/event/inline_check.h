// What compiled programs and the runtime agree on where programs look into the shadow by themselves: clang's
// plugin (instrument/plugin) puts the first glance of the runtime's hooks of accesses into the program, and
// calls the runtime only if that does not decide. The glance, for an access of `bytes` at `address`:
//
//   thread = *kThread                                 thread-local; null: nothing to do
//   ++thread.ordinal
//   word = shadow[read or write][address / 8]
//   ((word ^ thread.hot_tag) & kTagMask) == 0, and word has the bits of these bytes: nothing to do
//
// Whoever changes any of this raises the version. It is part of the symbols' names, so that objects and a
// runtime that do not fit cannot be linked, nor loaded.
#pragma once

#include <cstdint>

/// The name of a symbol as a literal, also for assembler code.
#define RAVEL_INLINE_SYMBOL(name) "__ravel_inline3_" name

namespace ravel::inline_check {

// The words of eight bytes at `address` are at kReadShadow or kWriteShadow + (address & kAddressMask & ~7).
// The last digits differ, so that memory and its words do not compete for the same part of a cache.
inline constexpr std::uint64_t kAddressMask = 0x0fff'ffff'ffff;
inline constexpr std::uint64_t kReadShadow = 0x1000'0000'0540;
inline constexpr std::uint64_t kWriteShadow = 0x2000'0000'0a80;
/// Two more for every eight bytes, at kFurtherShadow + 2 * (address & kAddressMask & ~7). Glances do not need
/// them; but the runtime often does if a glance has not decided.
inline constexpr std::uint64_t kFurtherShadow = 0x3000'0000'1000;

// A word: who and when, and one bit for each byte. A tag has none of the lower bits.
inline constexpr std::uint64_t kTagMask = 0x7fff'ffff'0000'0000;
inline constexpr std::uint64_t kBytesMask = 0xff;

// The thread's state.
inline constexpr std::uint64_t kHotTagAt = 0;    ///< 8 bytes
inline constexpr std::uint64_t kOrdinalAt = 16;  ///< 4 bytes

/// The thread-local pointer to the thread's state.
inline constexpr const char* kThread = RAVEL_INLINE_SYMBOL("thread");
/// The functions to call are this, "read" or "write", and 1, 2, 4 or 8. They take the address of the access
/// and keep all registers but r11 and those of vectors (LLVM's convention preserve_most).
inline constexpr const char* kFunctionPrefix = RAVEL_INLINE_SYMBOL("");

}  // namespace ravel::inline_check

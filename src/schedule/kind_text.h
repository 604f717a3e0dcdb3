// Event kinds in a schedule: the mnemonics of the Tiddle language.
//
// Its own little table, made from the same X-macro as the one in event/, because that one's code may CHECK
// and thus needs more of the C library than the user's program should be asked for.
#pragma once

#include <string_view>

#include "event/event.h"

namespace ravel {

inline constexpr std::string_view kKindTexts[] = {
#define X(name, mnemonic, ...) mnemonic,
    RAVEL_EVENT_KINDS(X)
#undef X
};

constexpr std::string_view kind_text(EventKind kind) { return kKindTexts[static_cast<std::size_t>(kind)]; }

/// false: no kind that a program can perform has this text.
constexpr bool kind_from_text(std::string_view text, EventKind& out) {
  for (int i = 0; i < kEventKindCount; ++i) {
    if (text.empty() || kKindTexts[i] != text) continue;
    out = static_cast<EventKind>(i);
    return true;
  }
  return false;
}

}  // namespace ravel

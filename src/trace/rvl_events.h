// The payload of an events block: Events as columns of small numbers.
//
// Encoder and decoder run the same model of what a program does next (rvl_model.h) and write down only where
// the events differ from it. The model starts fresh in every block. Both classes reuse their memory from
// block to block and belong to one thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "event/event.h"
#include "trace/bytes.h"
#include "trace/rvl_contexts.h"
#include "trace/tables.h"

namespace ravel::rvl {

struct Model;

/// Bytes after a payload that the decoder may read (not use).
inline constexpr std::size_t kDecoderSlack = 520;

/// The first reference of `event` to a name that `tables` does not have, as a sentence; empty: all are known.
/// A place, a stack and a unit may be unknown (an invalid id), an address need not have a name unless it is a
/// synthetic one.
std::string unknown_name(const Event& event, const Tables& tables);

/// Whether an access has no such reference, which is quick to tell. False: it may have, or is none.
inline bool is_known_access(const Event& event, const Tables& tables) {
  return kAccesses.has(event.kind) && event.thread.value < tables.threads.size() &&
         !is_synthetic(event.target) && (event.place.value < tables.places.size() || !event.place.valid()) &&
         (event.stack.value < tables.stacks.size() || !event.stack.valid());
}

class EventEncoder {
 public:
  EventEncoder();
  ~EventEncoder();
  EventEncoder(EventEncoder&&) noexcept;

  /// Replaces `payload`. At most kMaxBlockEvents events; `position` and `reserved` are not kept.
  void encode(std::span<const Event> events, Bytes& payload);

 private:
  std::uint32_t slot_of(ThreadId thread);

  std::unique_ptr<Model> model_;
  ContextCodec contexts_;
  std::vector<std::uint32_t> slots_;    ///< by ThreadId: its slot in this block + 1; 0: none yet
  std::vector<std::uint32_t> threads_;  ///< by slot
  Bytes changes_, ops_, controls_, places_, targets_, extras_, ordinals_, call_stacks_;
};

class EventDecoder {
 public:
  EventDecoder();
  ~EventDecoder();
  EventDecoder(EventDecoder&&) noexcept;

  /// Replaces `events` by the `count` events of a payload, the first at `first_position`. `payload` comes
  /// with kDecoderSlack readable bytes behind it; its content may be anything. An error is a sentence for the
  /// user, and the content of `events` is then meaningless.
  std::expected<void, std::string> decode(ByteSpan payload, std::uint32_t count, std::uint64_t first_position,
                                          const Tables& tables, std::vector<Event>& events);

 private:
  std::unique_ptr<Model> model_;
  ContextCodec contexts_;
};

}  // namespace ravel::rvl

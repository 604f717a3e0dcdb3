// The payload of an events block: Events as columns of small numbers.
//
// Encoder and decoder run the same model of what a program does next (rvl_model.h) and write down only where
// the events differ from it. The model starts fresh in every block. Both classes reuse their memory from
// block to block and belong to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "event/event.h"
#include "trace/bytes.h"
#include "trace/rvl_contexts.h"
#include "trace/rvl_model.h"
#include "trace/tables.h"

namespace ravel::rvl {

/// Bytes after a payload that the decoder may read (not use).
inline constexpr std::size_t kDecoderSlack = 520;

/// How long the tables must be that events refer to, as far as no earlier events of their block needed them.
struct NamesNeeded {
  std::uint32_t threads = 0, places = 0, stacks = 0;
  bool others = false;  ///< there may be references to units, other threads or names of addresses, too
};

class EventEncoder {
 public:
  EventEncoder();
  ~EventEncoder();
  EventEncoder(EventEncoder&&) noexcept;

  /// Appends events to the block; there may be kMaxBlockEvents. `position` and `reserved` are not kept.
  NamesNeeded add(std::span<const Event> events);
  std::size_t size() const { return count_; }  ///< of the block so far, in events
  /// Replaces `payload` by that of the block, and begins the next one.
  void finish(Bytes& payload);

 private:
  /// The bytes of a column, and space for more.
  struct Column {
    Bytes bytes;
    std::size_t used = 0;

    /// Where to write, with space for so many bytes.
    unsigned char* reserve(std::size_t more);
    void end(const unsigned char* at) { used = static_cast<std::size_t>(at - bytes.data()); }
  };

  static constexpr std::size_t kStrip = 256;  ///< events that space is made for at once

  std::uint32_t slot_of(ThreadId thread);
  void put(std::span<const Event> events);

  std::unique_ptr<Model> model_;
  Surroundings retro_;
  std::vector<std::uint32_t> slots_;    ///< by ThreadId: its slot in this block + 1; 0: none yet
  std::vector<std::uint32_t> threads_;  ///< by slot
  ThreadId last_thread_;                ///< of the last event in this block
  NamesNeeded named_;                   ///< of the events that were added last
  std::size_t count_ = 0;
  std::size_t after_stack_ = 0;  ///< events up to the last stack that was written down
  Column changes_;               ///< two bytes each
  Column ops_, controls_, places_, targets_, extras_, ordinals_, stacks_;
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
  ContextDecoder contexts_;
};

}  // namespace ravel::rvl

// RecordDecoder: the records of a stream (event/stream.h) as Events.
//
// Records may hold anything: what no runtime writes is refused with a sentence for the user.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "event/stream.h"
#include "trace/stream_notes.h"
#include "trace/tables.h"

namespace ravel::stream {

/// A record and, if it is a long one, its second half.
struct WholeRecord {
  Record record;
  RecordExtra extra;

  bool stamped() const { return record.extra() && extra.stamp != 0; }
};

/// What the records of a thread mean depends on those before.
struct ThreadContext {
  ThreadId thread;
  StackId stack;                   ///< the calls it is in
  StackId retro_stack;             ///< of the next retroactive access
  std::uint64_t ordinal_base = 0;  ///< of the records up to the next stamp
};

class RecordDecoder {
 public:
  /// Both outlive this.
  RecordDecoder(Tables& tables, StreamNotes& notes) : tables_(tables), notes_(notes) {}

  /// Appends the events of a record to `events`; there may be none, or several. What is wrong with the
  /// record; empty: nothing.
  std::string_view decode(const WholeRecord& record, ThreadContext& context, std::vector<Event>& events);

  std::uint64_t events() const { return events_; }  ///< so far
  /// Positions start again; ids stay what they were.
  void rewind() { events_ = 0; }

 private:
  std::string_view control(const Record& record, ThreadContext& context);
  std::string_view retro(const RecordExtra& extra, ThreadContext& context, Event& event);
  std::string_view check_target(const Event& event) const;
  PlaceId place(std::uint32_t unit);
  StackId push(StackId stack, std::uint64_t code);
  void append_ranges(Event event, std::uint64_t width, std::vector<Event>& events);

  Tables& tables_;
  StreamNotes& notes_;
  boost::unordered_flat_map<std::uint32_t, PlaceId> places_;  ///< by code unit
  boost::unordered_flat_map<std::uint64_t, StackId> stacks_;  ///< by parent and call
  std::uint64_t events_ = 0;
};

}  // namespace ravel::stream

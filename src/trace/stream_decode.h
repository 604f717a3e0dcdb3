// RecordDecoder: the records of a stream (event/stream.h) as Events.
//
// Records may hold anything: what no runtime writes is refused with a sentence for the user.
#pragma once

#include <array>
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
  std::uint64_t ordinal_base = 0;  ///< of the records up to the next stamp
};

class RecordDecoder {
 public:
  /// All outlive this.
  RecordDecoder(StreamFile& file, Tables& tables, StreamNotes& notes)
      : file_(file), tables_(tables), notes_(notes) {}

  /// Appends the events of a record to `events`; there may be none, or several. What is wrong with the
  /// record; empty: nothing.
  std::string_view decode(const WholeRecord& record, ThreadContext& context, std::vector<Event>& events);

  /// The same for a record that most are: a plain access of up to eight bytes. False: it is none, and nothing
  /// was appended.
  bool decode_plain(const Record& record, const ThreadContext& context, std::vector<Event>& events) {
    constexpr std::uint64_t kLong = std::uint64_t{1} << Record::kExtraAt |
                                    std::uint64_t{1} << Record::kValueAt |
                                    std::uint64_t{7} << Record::kOrderAt;
    if (record.kind() > static_cast<unsigned>(EventKind::Write) || (record.head & kLong) != 0 ||
        record.width_code() > 8 || record.width_code() == 0 || is_synthetic(record.body))
      return false;
    Event& event = events.emplace_back();
    event.kind = static_cast<EventKind>(record.kind());
    event.thread = context.thread;
    event.target = record.body;
    event.position = ++events_;
    event.width = record.width_code();
    event.ordinal = static_cast<std::uint32_t>(context.ordinal_base + record.ordinal());
    event.stack = context.stack;
    event.place = place(record.place());
    return true;
  }

  std::uint64_t events() const { return events_; }  ///< so far
  /// Positions start again; ids stay what they were.
  void rewind() { events_ = 0; }

 private:
  std::string_view control(const Record& record, ThreadContext& context);
  std::string_view retro(const WholeRecord& record, Event& event);
  std::string_view check_target(const Event& event) const;
  /// None of unit 0: code that the runtime could not tell.
  PlaceId place(std::uint32_t unit) {
    if (unit == 0) return {};
    KnownPlace& known = recent_[unit % recent_.size()];
    if (known.unit != unit) known = {unit, find_place(unit)};
    return known.place;
  }
  PlaceId find_place(std::uint32_t unit);
  /// The same place, as one of several.
  PlaceId one_of_several(PlaceId place);
  StackId push(StackId stack, PlaceId call);
  struct KnownGroup {
    SiteGroup group{};
    StackId stack;  ///< the calls around its sites
    bool known = false;
  };
  /// Null: the file does not have it, or not all the calls around it.
  const KnownGroup* group(std::uint32_t number);
  /// Of a site whose group is known.
  PlaceId site_place(std::uint32_t site) {
    return place(groups_[site / kGroupSites].group.code * kGroupSites + site % kGroupSites);
  }
  void append_ranges(const Event& event, std::uint64_t width, std::vector<Event>& events);

  struct KnownPlace {
    std::uint32_t unit = 0;
    PlaceId place;
  };

  StreamFile& file_;
  Tables& tables_;
  StreamNotes& notes_;
  std::array<KnownPlace, 1024> recent_{};                     ///< direct-mapped, before places_
  boost::unordered_flat_map<std::uint32_t, PlaceId> places_;  ///< by code unit
  std::vector<PlaceId> ones_of_several_;                      ///< by PlaceId; invalid: not needed yet
  boost::unordered_flat_map<std::uint64_t, StackId> stacks_;  ///< by parent and call
  std::vector<KnownGroup> groups_;                            ///< by number
  std::uint64_t events_ = 0;
};

}  // namespace ravel::stream

// RecordDecoder: the records of a stream (event/stream.h) as Events.
//
// Records may hold anything: what no runtime writes is refused with a sentence for the user.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "event/stream.h"
#include "trace/stream_notes.h"
#include "trace/tables.h"

namespace ravel::stream {

/// Takes the events of a batch. Events that are there already are filled anew, which is faster than to make
/// new ones.
class EventSink {
 public:
  explicit EventSink(std::vector<Event>& batch) : batch_(batch) {}

  /// All its fields are the caller's to set: it may have been another event.
  Event& add() {
    if (count_ == batch_.size()) [[unlikely]]
      batch_.resize(count_ + kStep);
    return batch_[count_++];
  }
  /// Space for so many events, which are not there before used(); their fields are the caller's, too.
  std::span<Event> reserve(std::size_t count) {
    if (count_ + count > batch_.size()) batch_.resize(count_ + count);
    return {batch_.data() + count_, count};
  }
  /// The space that was reserved last has events up to here.
  void used(const Event* end) { count_ = static_cast<std::size_t>(end - batch_.data()); }
  std::size_t size() const { return count_; }
  /// Leaves the batch with what was added.
  void finish() { batch_.resize(count_); }

 private:
  static constexpr std::size_t kStep = 128;
  std::vector<Event>& batch_;
  std::size_t count_ = 0;
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

  struct Decoded {
    std::size_t sixteens = 0;  ///< of the records that were decoded
    std::string_view wrong;    ///< about the record behind them, a sentence for the user; empty: nothing
  };
  /// Adds the events of records of one thread to the sink, until it has `limit` events or somewhat more: a
  /// record may have no event, or several.
  Decoded decode(std::span<const Record> records, ThreadContext& context, EventSink& sink, std::size_t limit);

  /// None of unit 0: code that the runtime could not tell.
  PlaceId place(std::uint32_t unit) {
    KnownPlace& known = recent_[unit % recent_.size()];
    if (known.unit != unit) known = {unit, find_place(unit)};
    return known.place;
  }

  std::uint64_t events() const { return events_; }  ///< so far
  /// Positions start again; ids stay what they were.
  void rewind() {
    events_ = 0;
    times_.clear();
  }

 private:
  Event* decode_quick(const Record*& at, const Record* end, const ThreadContext& context,
                      std::span<Event> space);
  /// The thread's local time is this by now, at least.
  std::string_view reach(std::uint64_t thread, std::uint64_t time, EventSink& sink);
  std::string_view decode_any(const Record& record, const RecordExtra& extra, ThreadContext& context,
                              EventSink& sink);
  std::string_view control(const Record& record, ThreadContext& context, EventSink& sink);
  std::string_view retro(const Record& record, const RecordExtra& extra, Event& event);
  std::string_view check_target(const Event& event) const;
  PlaceId find_place(std::uint32_t unit);
  struct KnownSite {
    std::uint64_t key = ~std::uint64_t{0};
    PlaceId place;
    StackId stack;  ///< the calls around it
  };
  static std::uint64_t site_key(std::uint64_t head) {
    return head >> Record::kPlaceAt << 1 | (head >> Record::kValueAt & 1);
  }
  /// Where a retroactive access was, by the head of its record. Null: the file does not say.
  const KnownSite* site(std::uint64_t head) {
    const std::uint64_t key = site_key(head);
    KnownSite& known = recent_sites_[key % recent_sites_.size()];
    return known.key == key || find_site(head, known) ? &known : nullptr;
  }
  bool find_site(std::uint64_t head, KnownSite& found);
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
  void add_ranges(Event event, std::uint64_t width, EventSink& sink);

  struct KnownPlace {
    std::uint32_t unit = 0;
    PlaceId place;
  };

  struct KnownStack {
    std::uint64_t key = ~std::uint64_t{0};  ///< parent and call, as of stacks_
    StackId stack;
  };

  StreamFile& file_;
  Tables& tables_;
  StreamNotes& notes_;
  std::array<KnownPlace, 4096> recent_{};                     ///< direct-mapped, before places_
  boost::unordered_flat_map<std::uint32_t, PlaceId> places_;  ///< by code unit
  std::array<KnownSite, 1024> recent_sites_{};                ///< direct-mapped, before groups_
  std::array<KnownStack, 1024> recent_stacks_{};              ///< the same before stacks_
  std::vector<PlaceId> ones_of_several_;                      ///< by PlaceId; invalid: not needed yet
  boost::unordered_flat_map<std::uint64_t, StackId> stacks_;  ///< by parent and call
  std::vector<KnownGroup> groups_;                            ///< by number
  std::vector<std::uint64_t> times_;                          ///< by thread: its local time so far
  std::uint64_t events_ = 0;
};

}  // namespace ravel::stream

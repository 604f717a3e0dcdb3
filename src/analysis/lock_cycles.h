// LockCycles: the ways in which threads could wait for each other, told from who asks for which lock while
// holding which others.
//
// Requests that are alike (thread, lock, locks held, place) are one dependency, so that a loop that takes its
// locks a million times is one, with a list of its requests (Tunç, Mathur, Pavlogiannis, Viswanathan 2023
// call them abstract acquires). A cycle is a list of dependencies of different threads, each of which asks
// for a lock that the next one holds, and no two of which hold a lock that only one can have.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <tuple>
#include <vector>

#include "analysis/lockset_table.h"
#include "event/event.h"
#include "witness/sync_history.h"

namespace ravel {

struct LockDependency {
  ThreadId thread;
  LockId lock;
  bool shared = false;
  LocksetId held;
  PlaceId place;
  std::vector<Mark> requests;  ///< the acquires, in order
  std::uint64_t stretch = 0;   ///< of the last one
};

class LockCycles {
 public:
  static constexpr std::size_t kMostCycles = 1000;
  static constexpr std::size_t kLongest = 12;
  static constexpr std::size_t kMostSteps = 4'000'000;

  /// Acquires and releases, in the order of the trace. Of the requests of one `stretch` that are alike the
  /// first is kept; true if this is one.
  bool consume(const Event& event, std::uint64_t stretch);

  /// Indices of dependencies; short cycles first. Not more than kMostCycles, none longer than kLongest, and
  /// what kMostSteps of the search find.
  std::vector<std::vector<std::uint32_t>> find(const LocksetTable& locksets);

  const LockDependency& operator[](std::uint32_t index) const { return dependencies_[index]; }

 private:
  class Search;
  struct Key {
    std::uint64_t thread_and_lock;
    std::uint64_t held_and_place;
    bool shared;

    friend bool operator==(const Key&, const Key&) = default;
    friend std::size_t hash_value(const Key& key) {
      const std::uint64_t mixed = key.thread_and_lock * 0x9e3779b97f4a7c15ULL ^ key.held_and_place;
      return mixed * 0xbf58476d1ce4e5b9ULL + static_cast<std::size_t>(key.shared);
    }
  };

  std::vector<LocksetId> held_;  ///< by thread
  boost::unordered_flat_map<Key, std::uint32_t> index_;
  std::vector<LockDependency> dependencies_;
};

}  // namespace ravel

// The names behind the numbers of a trace: threads, variables, locks, units of work, places.
//
// A reader owns its Tables and adds to them while it streams; ids and names once given never change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "event/event.h"
#include "event/place.h"

namespace ravel {

/// One call of a call stack. Stacks that begin alike share their outer calls: Tables::stacks is a tree.
struct StackFrame {
  StackId parent;  ///< the call around it, which has a smaller id; invalid: there is none
  PlaceId call;    ///< where it is

  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

/// Bytes on which the program calls races harmless (RAVEL_BENIGN_RACE).
struct BenignRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::string reason;

  friend bool operator==(const BenignRange&, const BenignRange&) = default;
};

struct Tables {
  std::vector<std::string> threads;    ///< by ThreadId
  std::vector<std::string> units;      ///< by UnitId
  std::vector<Place> places;           ///< by PlaceId
  std::vector<std::string> variables;  ///< by index of the synthetic address, as the next three
  std::vector<std::string> locks;
  std::vector<std::string> conditions;
  std::vector<std::string> barriers;
  std::vector<Module> modules;     ///< by ModuleId
  std::vector<StackFrame> stacks;  ///< by StackId
  std::vector<BenignRange> benign;

  friend bool operator==(const Tables&, const Tables&) = default;

  /// The names of a space that has names (not Range or None).
  std::vector<std::string>& names(TargetSpace space);
  const std::vector<std::string>& names(TargetSpace space) const;

  /// Name of the thing at `address` ("0x7f..." if it has none).
  std::string name(TargetSpace space, std::uint64_t address) const;
  std::string thread_name(ThreadId thread) const;
  std::string place_text(PlaceId place) const;  ///< "?" if unknown
};

}  // namespace ravel

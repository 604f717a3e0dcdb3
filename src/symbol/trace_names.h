// TraceNames: names for the code and data of a recorded program, by the modules its trace lists.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/ids.h"
#include "symbol/names.h"
#include "symbol/symbolizer.h"
#include "trace/tables.h"

namespace ravel {

/// Opens a module when one of its addresses is first asked about. Places of traces without modules are what
/// the trace says they are. The tables may grow meanwhile. One thread at a time.
class TraceNames {
 public:
  explicit TraceNames(const Tables& tables) : tables_(tables) {}

  /// All functions that were active: at `place`, then at each call of `stack`; innermost first. Frames
  /// without a name have at least the module as their file.
  std::vector<SourceFrame> frames(PlaceId place, StackId stack);

  /// The frame a reader would look at: the innermost in the user's own code, or the innermost of all. Null:
  /// nothing is known. Lives until the next call.
  const SourceFrame* shown(PlaceId place, StackId stack);
  /// The place that shown() is of: what tells events apart that share a function of the standard library.
  PlaceId shown_place(PlaceId place, StackId stack) { return find_shown(place, stack).place; }

  /// The global or static variable at an address of the recorded process.
  std::optional<DataObject> data(std::uint64_t address);

  /// What the user should know: modules without names, one line each.
  const std::vector<std::string>& notes() const { return symbols_.notes(); }

 private:
  struct Shown {
    PlaceId place;
    std::size_t frame = 0;  ///< of code(place)
  };

  const std::vector<SourceFrame>& code(PlaceId place);
  const Shown& find_shown(PlaceId place, StackId stack);
  /// False: there is none.
  bool user_frame(PlaceId place, Shown& shown);

  const Tables& tables_;
  Symbolizer symbols_;
  boost::unordered_flat_map<std::uint32_t, std::vector<SourceFrame>> code_;  ///< by place, if not empty
  boost::unordered_flat_map<std::uint64_t, Shown> shown_;                    ///< by place and stack
};

/// The same in every run: "table[3].lock" and "table[1].lock" are one object of the source.
std::string canonical_object(const DataObject& data);
/// "file:line", or what is known of it; as Place::text() for places of traces without modules.
std::string place_text(const SourceFrame& frame);

}  // namespace ravel

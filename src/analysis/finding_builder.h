// FindingBuilder: turns detections, which are made of ids, into findings, which are made of names.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/resolver.h"
#include "report/finding.h"
#include "report/fingerprint.h"
#include "report/source_lines.h"
#include "report/store.h"
#include "symbol/trace_names.h"
#include "trace/reader.h"

namespace ravel {

/// The sink of a chain that makes a report. A program that races in a loop gives one finding with a count, so
/// a repeated detection costs one look-up and no text.
class FindingBuilder final : public DetectionSink {
 public:
  FindingBuilder(const TraceReader& trace, SourceLines& sources)
      : trace_(trace), names_(trace.tables()), sources_(sources) {}

  void begin(const Resolver& ids) override;
  void report(const Detection& detection) override;

  /// Everything reported so far; leaves the builder empty.
  std::vector<Finding> take();
  /// What the user should know about names that are missing, one line each.
  const std::vector<std::string>& notes() const { return names_.notes(); }

 private:
  /// What makes two detections one finding, before names are looked up.
  struct Key {
    std::uint64_t object = 0;
    std::uint64_t accesses = 0;  ///< hash of analysis, places and kinds

    friend bool operator==(const Key&, const Key&) = default;
    friend std::size_t hash_value(const Key& key) {
      return key.object * 0x9e3779b97f4a7c15ULL ^ key.accesses;
    }
  };

  /// What a finding is about.
  struct Object {
    std::string name;       ///< for people
    std::string canonical;  ///< for the fingerprint
  };

  /// The trace is of a recorded program: places and addresses are those of its modules.
  bool has_modules() const { return !trace_.tables().modules.empty(); }
  Key key(const Detection& detection);
  /// A library whose synchronization the trace lacks and which the event's thread was in; empty: none.
  std::string unseen_library(const Involved& event) const;
  /// The place shown is one of several at which these bytes were accessed.
  bool is_one_of_several(const Involved& event) const;
  Finding build(const Detection& detection);
  /// Where the program calls races harmless; null: not there.
  const BenignRange* find_benign(std::uint64_t address) const;
  /// Where the variable of the detection is or was.
  std::uint64_t address(const Detection& detection) const;
  Object object(const Detection& detection);
  Object object(LockId lock);
  /// The locks of a deadlock.
  Object object(std::span<const LockId> locks);
  std::string lock_name(LockId lock) { return object(lock).name; }
  std::string message(const Detection& detection, const Finding& finding) const;
  FindingStep step(const Involved& event, const std::string& object);
  FingerprintPart part(const Involved& event);
  std::vector<Frame> stack(const Involved& event);

  const TraceReader& trace_;
  TraceNames names_;
  const Resolver* resolver_ = nullptr;  ///< of the current pass
  SourceLines& sources_;
  boost::unordered_flat_map<Key, std::size_t> seen_;  ///< index into findings_
  std::vector<Finding> findings_;
};

}  // namespace ravel

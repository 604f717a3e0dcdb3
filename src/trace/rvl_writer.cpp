#include <fmt/format.h>

#include <algorithm>

#include "event/check.h"
#include "trace/output_file.h"
#include "trace/rvl.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"
#include "trace/rvl_limits.h"
#include "trace/rvl_names.h"

namespace ravel::rvl {
namespace {

class RvlWriter final : public TraceWriter {
 public:
  RvlWriter(OutputFile file, OutputFile::Appears appears, std::size_t block_events)
      : file_(std::move(file)),
        at_once_(appears == OutputFile::Appears::AtOnce),
        block_events_(block_events) {
    CHECK(block_events >= 1 && block_events <= kMaxBlockEvents);
  }

  Result<void> begin(const TraceHeader& header) {
    append_file_head(block_);
    const std::string json = encode_header(header);
    payload_.assign(json.begin(), json.end());
    return put({.type = BlockType::Header});
  }

  Result<void> write(std::span<const Event> events, const Tables& tables) override {
    while (!events.empty()) {
      const auto taken = events.first(std::min(events.size(), block_events_ - encoder_.size()));
      const NamesNeeded needed = encoder_.add(taken);
      if (needed.others || needed.threads > tables.threads.size() || needed.places > tables.places.size() ||
          needed.stacks > tables.stacks.size()) {
        const std::string unknown = unknown_name(taken, tables);
        CHECK(unknown.empty(), unknown);
      }
      events = events.subspan(taken.size());
      if (encoder_.size() < block_events_) break;
      if (auto put = put_events(tables); !put) return put;
    }
    return {};
  }

  Result<void> finish(const Tables& tables) override {
    if (encoder_.size() > 0)
      if (auto put = put_events(tables); !put) return put;
    // Names that no event needs are part of the trace, too.
    if (auto put = put_names(tables); !put) return put;
    payload_.clear();
    if (auto end = put({.type = BlockType::End, .first_position = events_}); !end) return end;
    return file_.commit();
  }

 private:
  Result<void> put_names(const Tables& tables) {
    while (encode_names(tables, names_, payload_)) {
      if (auto done = put({.type = BlockType::Names}); !done) return done;
    }
    return {};
  }

  Result<void> put_events(const Tables& tables) {
    if (auto put = put_names(tables); !put) return put;
    const BlockHead head{.type = BlockType::Events,
                         .events = static_cast<std::uint32_t>(encoder_.size()),
                         .first_position = events_ + 1};
    events_ += encoder_.size();
    encoder_.finish(payload_);
    return put(head);
  }

  Result<void> put(const BlockHead& head) {
    if (payload_.size() > kMaxRawBytes) {
      return fail(fmt::format("cannot write: a name or the header is larger than {} MiB", kMaxRawBytes >> 20),
                  file_.path());
    }
    sealer_.seal(head, payload_, block_);
    auto written = file_.write(block_);
    block_.clear();
    return written && at_once_ ? file_.flush() : written;
  }

  OutputFile file_;
  bool at_once_;  ///< each block is in the file when it is written
  std::size_t block_events_;
  std::uint64_t events_ = 0;  ///< in blocks written so far
  NamesSeen names_;
  EventEncoder encoder_;
  BlockSealer sealer_;
  Bytes payload_, block_;
};

}  // namespace

Result<std::unique_ptr<TraceWriter>> create_writer(const std::string& path, const TraceHeader& header,
                                                   std::size_t block_events, OutputFile::Appears appears) {
  auto file = OutputFile::create(path, appears);
  if (!file) return std::unexpected(file.error());
  auto writer = std::make_unique<RvlWriter>(std::move(*file), appears, block_events);
  if (auto begun = writer->begin(header); !begun) return std::unexpected(begun.error());
  return writer;
}

}  // namespace ravel::rvl

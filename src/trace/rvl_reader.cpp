#include <fmt/format.h>

#include "trace/input_file.h"
#include "trace/rvl.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"
#include "trace/rvl_names.h"

namespace ravel::rvl {
namespace {

class RvlReader final : public TraceReader {
 public:
  explicit RvlReader(InputFile file) : TraceReader(file.path()), file_(std::move(file)) {}

  /// Reads up to and including the header block: without it there is no trace.
  Result<void> begin() {
    unsigned char head[kFileHeadBytes];
    const auto got = file_.read(std::span(head));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return fail("the file is empty, not a .rvl trace", path_);
    if (*got < kFileHeadBytes) return fail("the file is too short for a .rvl trace", path_);
    if (const auto good = check_file_head(head); !good) return fail(good.error(), path_);
    next_offset_ = kFileHeadBytes;

    const auto whole = next_block();
    if (!whole) return std::unexpected(whole.error());
    if (!*whole) return fail("the trace is cut off before the end of its header", path_);
    if (head_.type != BlockType::Header) return broken("the first block of a trace must be its header");
    const auto header = decode_header({reinterpret_cast<const char*>(raw_.data()), head_.raw_size});
    if (!header) return broken(header.error());
    header_ = *header;
    return {};
  }

  Result<void> next(std::vector<Event>& batch) override {
    while (!ended_) {
      const auto whole = next_block();
      if (!whole) return std::unexpected(whole.error());
      if (!*whole) break;
      switch (head_.type) {
        case BlockType::Header:
          return broken("only the first block may be a header");
        case BlockType::Names: {
          const auto added = decode_names(payload(), names_, tables_);
          if (!added) return broken(added.error());
          break;
        }
        case BlockType::Events:
          return decode_events(batch);
        case BlockType::End:
          if (auto good = end(); !good) return good;
          break;
      }
    }
    batch.clear();  // not earlier: the decoder fills events that exist faster than new ones
    return {};
  }

  Result<void> rewind() override {
    if (auto rewound = file_.rewind(); !rewound) return rewound;
    ended_ = false;
    block_ = 0;
    events_ = 0;
    names_ = {};
    notes_.clear();
    return begin();
  }

  std::vector<std::string> notes() const override { return notes_; }

 private:
  ByteSpan payload() const { return {raw_.data(), head_.raw_size}; }

  std::unexpected<Error> broken(std::string_view why) const {
    return fail(fmt::format("block {} at byte {}: {}", block_, offset_, why), path_);
  }

  /// Reads, checks and unpacks the next block. False: the file ends before the block does, which is what a
  /// killed writer leaves behind.
  Result<bool> next_block() {
    ++block_;
    offset_ = next_offset_;
    unsigned char head[kBlockHeadBytes];
    const auto got = file_.read(std::span(head));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return cut_off("the trace has no end: its writer was stopped");
    if (*got < kBlockHeadBytes) return cut_off("the trace ends in an incomplete block");
    const auto loaded = load_head(head);
    if (!loaded) return broken(loaded.error());
    head_ = *loaded;
    stored_.resize(head_.stored_size);
    const auto stored = file_.read(std::span(stored_));
    if (!stored) return std::unexpected(stored.error());
    if (*stored < stored_.size()) return cut_off("the trace ends in an incomplete block");
    if (const auto opened = opener_.open(head_, stored_, raw_, kDecoderSlack); !opened)
      return broken(opened.error());
    next_offset_ = offset_ + kBlockHeadBytes + stored_.size();
    return true;
  }

  bool cut_off(std::string_view what) {
    ended_ = true;
    notes_.push_back(fmt::format("{}: {} events were read", what, events_));
    return false;
  }

  Result<void> decode_events(std::vector<Event>& batch) {
    if (head_.first_position != events_ + 1) {
      return broken(
          fmt::format("it begins with event {}, but event {} comes next", head_.first_position, events_ + 1));
    }
    const auto decoded = decoder_.decode(payload(), head_.events, head_.first_position, tables_, batch);
    if (!decoded) return broken(decoded.error());
    if (head_.thread != kManyThreads) {
      for (const Event& event : batch) {
        if (event.thread.value != head_.thread) {
          return broken(fmt::format("it should have events of thread {} only", head_.thread));
        }
      }
    }
    events_ += batch.size();
    return {};
  }

  Result<void> end() {
    ended_ = true;
    if (head_.first_position != events_) {
      return broken(
          fmt::format("the trace should have {} events, but it has {}", head_.first_position, events_));
    }
    unsigned char more[1];
    const auto got = file_.read(std::span(more));
    if (!got) return std::unexpected(got.error());
    if (*got != 0)
      return fail(fmt::format("byte {}: there is more after the end of the trace", next_offset_), path_);
    return {};
  }

  InputFile file_;
  BlockOpener opener_;
  EventDecoder decoder_;
  BlockHead head_;
  Bytes stored_, raw_;
  NamesSeen names_;
  std::uint64_t block_ = 0;   ///< number of the current block, 1-based
  std::uint64_t offset_ = 0;  ///< of the current block in the file
  std::uint64_t next_offset_ = 0;
  std::uint64_t events_ = 0;  ///< given out so far
  bool ended_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

Result<std::unique_ptr<TraceReader>> open_reader(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto reader = std::make_unique<RvlReader>(std::move(*file));
  if (auto begun = reader->begin(); !begun) return std::unexpected(begun.error());
  return reader;
}

}  // namespace ravel::rvl

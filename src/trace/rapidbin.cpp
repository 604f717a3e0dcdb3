#include "trace/rapidbin.h"

#include <fmt/format.h>

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "trace/bytes.h"
#include "trace/format.h"
#include "trace/input_file.h"

namespace ravel {
namespace {

constexpr std::size_t kHeadBytes = 2 + 4 + 4 + 8;
constexpr std::size_t kRecordBytes = 8;

/// A record's ten operations. Branches carry nothing that ravel uses.
enum class Operation : std::uint8_t {
  Acquire,
  Release,
  Read,
  Write,
  Fork,
  Join,
  Begin,
  End,
  Request,
  Branch
};
constexpr unsigned kOperationCount = 10;

constexpr std::array<EventKind, kOperationCount> kKinds = {
    EventKind::Acquire, EventKind::Release,     EventKind::Read,       EventKind::Write,   EventKind::Fork,
    EventKind::Join,    EventKind::ThreadStart, EventKind::ThreadExit, EventKind::Request, EventKind::Read,
};

struct Record {
  std::uint32_t thread, operation, location;
  std::uint64_t target;

  explicit Record(std::uint64_t word)
      : thread(word & 0x3ff),
        operation((word >> 10) & 0xf),
        location(static_cast<std::uint32_t>((word >> 48) & 0x7fff)),
        target((word >> 14) & 0x3'ffff'ffff) {}
};

class RapidBinReader final : public TraceReader {
 public:
  explicit RapidBinReader(InputFile file) : TraceReader(file.path()), file_(std::move(file)) {}

  Result<void> begin() {
    std::array<unsigned char, kHeadBytes> head{};
    const auto got = file_.read(std::span(head));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return fail("the file is empty, not a RapidBin trace", path_);
    if (*got < head.size()) return fail("the file is too short for the header of a RapidBin trace", path_);
    thread_limit_ = load_big<std::uint16_t>(&head[0]);
    event_limit_ = load_big<std::uint64_t>(&head[10]);
    if ((head[0] | head[2] | head[6] | head[10]) & 0x80) {
      return fail("not a RapidBin trace: its header has a negative count", path_);
    }
    return {};
  }

  Result<void> next(std::vector<Event>& batch) override {
    batch.clear();
    while (batch.empty()) {
      buffer_.resize(kBatchEvents * kRecordBytes);
      const auto got = file_.read(std::span(buffer_));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) return {};
      for (std::size_t at = 0; at < *got; at += kRecordBytes) {
        ++record_;
        if (*got - at < kRecordBytes) return broken("the trace ends in the middle of it");
        if (auto added = add(Record(load_big<std::uint64_t>(&buffer_[at])), batch); !added) return added;
      }
    }
    return {};
  }

  Result<void> rewind() override {
    if (auto rewound = file_.rewind(); !rewound) return rewound;
    record_ = 0;
    position_ = 0;
    return begin();
  }

 private:
  std::unexpected<Error> broken(std::string_view why) const {
    return fail(fmt::format("event {}: {}", record_, why), path_);
  }

  Result<void> add(const Record& record, std::vector<Event>& batch) {
    if (record_ > event_limit_) {
      return broken(fmt::format("the header promises at most {} events", event_limit_));
    }
    if (record.operation >= kOperationCount)
      return broken(fmt::format("unknown operation {}", record.operation));
    const auto operation = static_cast<Operation>(record.operation);
    if (record.thread >= thread_limit_) return broken(beyond(record.thread));
    if (operation == Operation::Branch) return {};

    Event event;
    event.kind = kKinds[record.operation];
    event.thread = ThreadId(intern_thread(record.thread));
    event.position = ++position_;
    switch (operation) {
      case Operation::Acquire:
      case Operation::Release:
      case Operation::Request:
        event.target =
            synthetic_address(TargetSpace::Lock, intern(locks_, record.target, 'L', tables_.locks));
        break;
      case Operation::Read:
      case Operation::Write:
        event.target = synthetic_address(TargetSpace::Variable,
                                         intern(variables_, record.target, 'V', tables_.variables));
        event.width = kSyntheticWidth;
        break;
      case Operation::Fork:
      case Operation::Join:
        if (record.target >= thread_limit_) return broken(beyond(record.target));
        event.target = intern_thread(record.target);
        break;
      case Operation::Begin:
      case Operation::End:
      case Operation::Branch:
        break;
    }
    event.place = PlaceId(intern_place(record.location));
    batch.push_back(event);
    return {};
  }

  std::string beyond(std::uint64_t thread) const {
    return fmt::format("thread {} is beyond the {} threads that the header promises", thread, thread_limit_);
  }

  using Ids = boost::unordered_flat_map<std::uint64_t, std::uint32_t>;

  /// Ids are dense, in the order of first appearance, as in every other format.
  static std::uint32_t intern(Ids& ids, std::uint64_t number, char letter, std::vector<std::string>& names) {
    const auto [entry, added] = ids.try_emplace(number, static_cast<std::uint32_t>(names.size()));
    if (added) names.push_back(fmt::format("{}{}", letter, number));
    return entry->second;
  }

  std::uint32_t intern_thread(std::uint64_t number) { return intern(threads_, number, 'T', tables_.threads); }

  std::uint32_t intern_place(std::uint32_t location) {
    const auto [entry, added] =
        places_.try_emplace(location, static_cast<std::uint32_t>(tables_.places.size()));
    if (added) tables_.places.push_back({.file = {}, .line = location, .function = {}});
    return entry->second;
  }

  InputFile file_;
  std::uint32_t thread_limit_ = 0;
  std::uint64_t event_limit_ = 0;
  std::uint64_t record_ = 0;    ///< number of the current record, 1-based; branches count
  std::uint64_t position_ = 0;  ///< of the last event given out; branches do not
  Bytes buffer_;
  Ids threads_, locks_, variables_, places_;
};

const RegisterFormat kRegisterRapidBin({
    .name = "rapidbin",
    .extension = ".data",
    .summary = "binary traces of the RAPID tools (read only)",
    .open = open_rapidbin,
    .create = nullptr,
});

}  // namespace

Result<std::unique_ptr<TraceReader>> open_rapidbin(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto reader = std::make_unique<RapidBinReader>(std::move(*file));
  if (auto begun = reader->begin(); !begun) return std::unexpected(begun.error());
  return reader;
}

}  // namespace ravel

#include "trace/stream_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <limits>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "event/check.h"
#include "trace/stream_decode.h"
#include "trace/stream_file.h"
#include "trace/stream_notes.h"
#include "trace/stream_outcome.h"
#include "trace/stream_threads.h"

namespace ravel::stream {
namespace {

using std::chrono::microseconds;

/// Of records that come after every stamp.
constexpr std::uint64_t kEndOfStream = std::numeric_limits<std::uint64_t>::max();

// To wake up costs as much as hundreds of events, and the program's processors are not idle meanwhile: sleeps
// become longer until each gives kManyEvents.
constexpr microseconds kShortestSleep{200};
constexpr microseconds kLongestSleep{5000};
constexpr microseconds kLongestBusySleep{2000};  ///< if the program has written something
constexpr std::uint64_t kManyEvents = 16384;
/// How often a look at a thread that is taking a stamp is repeated before others go on without it: a stamp
/// takes tens of nanoseconds unless the thread was interrupted.
constexpr int kStampingLooks = 200;

class StreamReader final : public TraceReader {
 public:
  explicit StreamReader(StreamFile file)
      : TraceReader(file.path()),
        file_(std::move(file)),
        facts_(file_, header_, tables_),
        decoder_(file_, tables_, facts_) {
    const StreamHead& head = file_.head();
    header_.filter = static_cast<FilterLevel>(head.filter);
    header_.access_order = static_cast<AccessOrder>(head.access_order);
    header_.values = static_cast<ValueLevel>(head.values);
    facts_.refresh();
  }

  ~StreamReader() override {
    if (live()) detach();
  }

  void attach(LiveOptions options) {
    CHECK(options.is_alive != nullptr);
    live_ = std::move(options);
    StreamHead& head = file_.head();
    head.chunk_limit.store(live_.chunk_limit, std::memory_order_relaxed);
    head.pressure.store(live_.chunk_limit != 0 ? 1 : 0, std::memory_order_relaxed);
    head.reader.store(static_cast<std::uint32_t>(::getpid()), std::memory_order_release);
    complete_ = false;
  }

  Result<void> next(std::vector<Event>& batch) override {
    EventSink sink(batch);
    while (true) {
      while (sink.size() < kBatchEvents && choose())
        if (auto given = give(sink); !given) return given;
      if (sink.size() > 0 || ended_) break;
      if (auto found = look(); !found) return found;
      if (auto whole = check_beginning(); !whole) return whole;
    }
    sink.finish();
    return {};
  }

  Result<void> rewind() override {
    if (live()) return fail("the events of a running program come only once", path_);
    for (StreamThread& thread : threads_) thread.rewind();
    waiting_.clear();
    for (StreamThread& thread : threads_) waiting_.push_back(&thread);
    heap_.clear();
    giving_ = nullptr;
    ended_ = false;
    decoder_.rewind();
    return {};
  }

  std::vector<std::string> notes() const override;

 private:
  /// A thread with records to give out, and where in the order they belong.
  struct Ready {
    std::uint64_t stamp;
    StreamThread* thread;

    /// For a heap whose top comes first.
    static bool comes_later(const Ready& a, const Ready& b) {
      return a.stamp != b.stamp ? a.stamp > b.stamp : a.thread->index() > b.thread->index();
    }
  };

  bool live() const { return live_.is_alive != nullptr; }
  /// An error: synchronization at the beginning is missing, and without it anything would look like a race.
  Result<void> check_beginning() const {
    if (!live() && std::ranges::any_of(threads_, [](const auto& one) { return one.missing_chunks() > 0; }))
      return fail("its beginning is gone: another ravel has read it while the program ran", path_);
    return {};
  }
  void detach();
  std::unexpected<Error> damaged(const StreamThread& thread, std::string_view what) const {
    return fail(fmt::format("thread {} ({}): {}", thread.index(), tables_.threads[thread.index()], what),
                path_);
  }

  Result<void> look();
  void rest();
  Result<void> add_threads();
  Result<void> wait_for(StreamThread& thread);
  Result<bool> look_at(StreamThread& thread, bool& stamping);
  bool can_choose() const { return !heap_.empty() && (heap_.front().stamp < horizon_ || complete_); }
  bool choose();
  /// Up to this stamp the thread whose turn it is has nobody to wait for.
  std::uint64_t limit() const { return heap_.empty() ? horizon_ : std::min(heap_.front().stamp, horizon_); }
  Result<void> give(EventSink& sink);
  Result<void> give_run(StreamThread& thread, EventSink& sink);
  void push(std::uint64_t stamp, StreamThread& thread) {
    heap_.push_back({stamp, &thread});
    std::ranges::push_heap(heap_, Ready::comes_later);
  }
  StreamThread* exchange_top(const Ready& entry);
  bool program_is_over();
  bool relieve();

  StreamFile file_;
  StreamNotes facts_;
  RecordDecoder decoder_;
  LiveOptions live_;

  std::deque<StreamThread> threads_;      ///< by index; a deque: they are pointed to
  std::vector<StreamThread*> waiting_;    ///< whose next stamp is not there yet
  std::vector<Ready> heap_;               ///< the others, the next one on top
  StreamThread* giving_ = nullptr;        ///< whose pending records are next
  std::uint64_t horizon_ = kEndOfStream;  ///< all smaller stamps are known
  std::uint64_t stamps_ = 1;              ///< the next stamp when the program was last looked at
  bool idle_ = false;                     ///< there was nothing to give out then
  bool complete_ = true;                  ///< nothing more will be written
  bool ended_ = false;
  microseconds sleep_ = kShortestSleep;
  std::uint64_t before_look_ = 0;  ///< events that were given out before the last one
};

void StreamReader::detach() {
  StreamHead& head = file_.head();
  head.pressure.store(0, std::memory_order_relaxed);
  head.reader.store(0, std::memory_order_release);
  file_.wake();
}

/// Makes threads_ and their names as long as the program has threads.
Result<void> StreamReader::add_threads() {
  const std::uint32_t count = file_.head().thread_count.load(std::memory_order_acquire);
  if (count > kMaxThreads) return fail(fmt::format("the recording claims {} threads", count), path_);
  while (threads_.size() < count) {
    const auto index = static_cast<std::uint32_t>(threads_.size());
    waiting_.push_back(&threads_.emplace_back(file_, index));
    threads_.back().floor = stamps_;  // it was not there when the counter stood at this
    tables_.threads.push_back(index == 0 ? "main" : fmt::format("T{}", index));
  }
  return {};
}

/// Looks for the thread's next stamp. False: it must be waited for, `stamping` if it is about to come.
Result<bool> StreamReader::look_at(StreamThread& thread, bool& stamping) {
  ThreadSlot* const slot = thread.slot();
  stamping = !complete_ && slot != nullptr && slot->stamping.load(std::memory_order_seq_cst) != 0;
  const bool over = slot != nullptr && slot->ended.load(std::memory_order_acquire) != 0;
  const bool fresh = !thread.pending() && thread.last_stamp() == 0;
  if (!thread.look(0)) return damaged(thread, thread.damage());
  if (fresh && thread.pending() && slot->name[0] != '\0') {
    const std::string_view name(slot->name, sizeof slot->name);
    tables_.threads[thread.index()] = name.substr(0, name.find('\0'));
  }
  if (thread.next_stamp() != 0) {
    thread.floor = thread.next_stamp() + 1;
    push(thread.next_stamp(), thread);
    return true;
  }
  if (!over && !complete_) return false;
  if (thread.pending())
    push(over ? thread.last_stamp() : kEndOfStream, thread);
  else
    thread.end();
  return true;
}

/// Puts the thread where it belongs: to those with something to give out, or to those to wait for.
Result<void> StreamReader::wait_for(StreamThread& thread) {
  bool stamping = false;
  for (int look = 0; look < kStampingLooks; ++look) {
    const auto found = look_at(thread, stamping);
    if (!found) return std::unexpected(found.error());
    if (*found) return {};
    if (!stamping) break;
  }
  // The counter was read before the flag: a thread that is not stamping has no smaller stamp left to write.
  if (!stamping) thread.floor = std::max(thread.floor, stamps_);
  horizon_ = std::min(horizon_, thread.floor);
  waiting_.push_back(&thread);
  return {};
}

/// Sleeps until there should be much to give out. To look at what the program writes takes it from the
/// program's processor for a moment: who looked all the time would slow it down.
void StreamReader::rest() {
  const std::uint64_t given = decoder_.events() - std::exchange(before_look_, decoder_.events());
  if (given >= kManyEvents) {
    sleep_ = std::max(sleep_ / 2, kShortestSleep);
    if (!idle_) return;
  } else {
    sleep_ = std::min(sleep_ * 2, given > 0 ? kLongestBusySleep : kLongestSleep);
  }
  std::this_thread::sleep_for(sleep_);
}

/// Finds out what can be given out now; if the last look found little, waits first.
Result<void> StreamReader::look() {
  if (!complete_ && idle_) {
    if (relieve()) return {};
    complete_ = program_is_over();
  }
  if (!complete_) rest();
  // Threads that are new since the last look have no smaller stamps than the counter had then.
  const std::uint64_t stamps = file_.head().stamps.load(std::memory_order_seq_cst);
  facts_.refresh();
  if (auto added = add_threads(); !added) return added;
  stamps_ = std::max(stamps_, stamps);
  horizon_ = complete_ ? kEndOfStream : stamps_;
  for (StreamThread* thread : std::exchange(waiting_, {}))
    if (auto waiting = wait_for(*thread); !waiting) return waiting;
  idle_ = !choose();
  ended_ = idle_ && complete_;
  if (ended_)
    outcome_ = read_outcome(file_.notes(), [this](std::uint32_t unit) { return decoder_.place(unit); });
  return {};
}

/// Whether there are records to give out, and whose.
bool StreamReader::choose() {
  if (giving_ != nullptr) return true;
  if (!can_choose()) return false;
  std::ranges::pop_heap(heap_, Ready::comes_later);
  giving_ = heap_.back().thread;
  heap_.pop_back();
  giving_->make_ready();
  return true;
}

/// Gives out records that are ready and lie side by side.
Result<void> StreamReader::give_run(StreamThread& thread, EventSink& sink) {
  std::span<const Record> run = thread.run();
  if (run.empty()) return damaged(thread, "records have vanished");
  for (bool looked = complete_;; looked = true) {
    const auto decoded = decoder_.decode(run, thread.context, sink, kBatchEvents);
    thread.took(decoded.sixteens);
    if (decoded.wrong.empty()) return {};
    if (looked && (complete_ || decoded.sixteens == 0)) return damaged(thread, decoded.wrong);
    // The record may be about a thread or a unit that is newer than the last look.
    run = run.subspan(decoded.sixteens);
    facts_.refresh();
    if (auto added = add_threads(); !added) return added;
  }
}

Result<void> StreamReader::give(EventSink& sink) {
  StreamThread& thread = *giving_;
  while (true) {
    // As far as no other thread comes between.
    if (!thread.look(limit())) return damaged(thread, thread.damage());
    if (!thread.ready()) break;
    while (thread.ready()) {
      if (auto given = give_run(thread, sink); !given) return given;
      if (sink.size() >= kBatchEvents) return {};
    }
  }
  giving_ = nullptr;
  if (thread.next_stamp() == 0) return wait_for(thread);
  thread.floor = thread.next_stamp() + 1;
  if (can_choose()) {
    giving_ = exchange_top({thread.next_stamp(), &thread});
    giving_->make_ready();
  } else {
    push(thread.next_stamp(), thread);
  }
  return {};
}

/// Puts an entry in the place of the heap's first one, and returns whose that was.
StreamThread* StreamReader::exchange_top(const Ready& entry) {
  StreamThread* const first = heap_.front().thread;
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap_.size(); at = child, child = 2 * at + 1) {
    if (child + 1 < heap_.size() && Ready::comes_later(heap_[child], heap_[child + 1])) ++child;
    if (!Ready::comes_later(entry, heap_[child])) break;
    heap_[at] = heap_[child];
  }
  heap_[at] = entry;
  return first;
}

bool StreamReader::program_is_over() {
  switch (static_cast<Stop>(file_.head().stop.load(std::memory_order_acquire))) {
    case Stop::Exec:
    case Stop::SizeCap:
    case Stop::NoSpace:
    case Stop::TooManyThreads:
      return true;
    case Stop::No:
    case Stop::Exit:  // some threads may still run
      break;
  }
  return !live_.is_alive();
}

/// If the program waits for chunks, gives out what is in those of threads that have not synchronized for
/// long.
bool StreamReader::relieve() {
  const StreamHead& head = file_.head();
  if (live_.chunk_limit == 0 || static_cast<ChunkRef>(head.free_chunks.load()) != 0 ||
      head.chunks_used.load() < live_.chunk_limit) {
    return false;
  }
  return std::erase_if(waiting_, [this](StreamThread* thread) {
           if (!thread->offer_chunks()) return false;
           push(thread->last_stamp(), *thread);
           return true;
         }) > 0;
}

std::vector<std::string> StreamReader::notes() const {
  std::vector<std::string> all;
  switch (static_cast<Stop>(file_.head().stop.load(std::memory_order_acquire))) {
    case Stop::No:
      if (complete_) all.emplace_back("the recording has no end: the program was killed or has crashed");
      break;
    case Stop::Exit:
    case Stop::Exec:
      break;
    case Stop::SizeCap:
      all.emplace_back("the recording is not complete: it has reached its largest size");
      break;
    case Stop::NoSpace:
      all.emplace_back("the recording is not complete: there was no space left for it");
      break;
    case Stop::TooManyThreads:
      all.push_back(
          fmt::format("the recording is not complete: the program has more than {} threads", kMaxThreads));
      break;
  }
  for (const StreamThread& thread : threads_) {
    const std::string& name = tables_.threads[thread.index()];
    if (!thread.torn().empty()) {
      all.push_back(fmt::format("thread {} ({}): the end of its records is lost: {}", thread.index(), name,
                                thread.torn()));
    }
  }
  for (const std::string& library : header_.unseen_libraries)
    all.push_back(fmt::format("synchronization of {} is not in the recording", library));
  return all;
}

}  // namespace

Result<std::unique_ptr<TraceReader>> open_reader(const std::string& path) {
  auto file = StreamFile::open(path, StreamFile::Access::Read);
  if (!file) return std::unexpected(file.error());
  return std::make_unique<StreamReader>(std::move(*file));
}

Result<std::unique_ptr<TraceReader>> attach(const std::string& path, LiveOptions options) {
  auto file = StreamFile::open(path, StreamFile::Access::ReadWrite);
  if (!file) return std::unexpected(file.error());
  auto reader = std::make_unique<StreamReader>(std::move(*file));
  reader->attach(std::move(options));
  return reader;
}

}  // namespace ravel::stream

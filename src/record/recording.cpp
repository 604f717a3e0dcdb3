#include "record/recording.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "record/file_descriptor.h"
#include "record/temporary_folder.h"
#include "trace/outcome_reader.h"
#include "trace/stream_reader.h"

namespace ravel {
namespace {

std::atomic<pid_t> forward_to{0};
std::atomic<int> too_early{0};  ///< a signal that came before there was a program to hand it to

/// The terminal's signals (SI_KERNEL) have reached the program, too.
void forward(int number, siginfo_t* info, void* /*context*/) {
  if (info->si_code == SI_KERNEL) return;
  too_early = number;
  if (const pid_t child = forward_to.load(); child > 0 && too_early.exchange(0) != 0) kill(child, number);
}

/// While the program runs, signals of the terminal are its own business, and those sent to us are handed on.
/// Begins before the program does: it may be interrupted as soon as it runs.
class SignalsForwarded {
 public:
  SignalsForwarded() {
    for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) set(number);
  }
  static void to(pid_t child) {
    forward_to = child;
    if (const int number = too_early.exchange(0); number != 0) kill(child, number);
  }
  ~SignalsForwarded() {
    for (const auto& [number, old] : before_) sigaction(number, &old, nullptr);
    forward_to = 0;
  }
  SignalsForwarded(const SignalsForwarded&) = delete;
  SignalsForwarded& operator=(const SignalsForwarded&) = delete;

 private:
  void set(int number) {
    struct sigaction action{};
    action.sa_sigaction = forward;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    struct sigaction old{};
    sigaction(number, &action, &old);
    before_.emplace_back(number, old);
  }
  std::vector<std::pair<int, struct sigaction>> before_;
};

/// Whether the process can still write: it exists and is no zombie.
bool is_running(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return false;
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

/// A process that may still write. Asked hundreds of times a second, so not by way of /proc if the kernel has
/// better.
class Writer {
 public:
  explicit Writer(pid_t pid) : pid_(pid), process_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

  bool is_running() const {
    if (process_.number() < 0) return ravel::is_running(pid_);
    pollfd end{process_.number(), POLLIN, 0};
    return poll(&end, 1, 0) <= 0;
  }

 private:
  pid_t pid_;
  FileDescriptor process_;
};

/// "prog.123.rvl" or "prog.123-1.rvl" -> 123.
pid_t process_of(const std::string& file_name) {
  const std::string stem = std::filesystem::path(file_name).stem().string();
  return static_cast<pid_t>(std::strtol(stem.c_str() + stem.rfind('.') + 1, nullptr, 10));
}

/// Follows the processes of one run.
class Followers {
 public:
  Followers(const FollowOptions& options, const Follow& follow, std::string folder, pid_t first)
      : options_(options), follow_(follow), folder_(std::move(folder)), first_(first) {}

  /// Starts a follower for a stream that has appeared. Those of one process come in the order in which it
  /// made them.
  void add(const std::string& path) {
    if (!path.ends_with(".rvl") || !known_.insert(path).second) return;
    RecordedProcess process{.pid = process_of(path)};
    const unsigned images = images_[process.pid]++;
    process.first = process.pid == first_ && images == 0;
    process.earlier = process.pid == first_ && images > 0 ? images - 1 : images;
    if (process.first) first_stream_ = path;
    threads_.emplace_back([this, path, process] { follow_one(path, process); });
  }

  /// The program has ended: what is still running is followed no further.
  Result<void> finish() {
    std::error_code ignored;  // what the news have not told, if there were too many at once
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
      add(entry.path().string());
    ended_ = true;
    threads_.clear();  // joins
    if (error_) return std::unexpected(*error_);
    return {};
  }

  std::size_t count() const { return known_.size(); }
  /// Of the program itself; empty: it has none.
  const std::string& first_stream() const { return first_stream_; }
  /// Every process that is still there.
  void kill_all() const {
    for (const auto& [pid, images] : images_)
      if (is_running(pid)) kill(pid, SIGKILL);
  }

 private:
  void follow_one(const std::string& path, const RecordedProcess& process) {
    stream::LiveOptions live;
    live.is_alive = [this, writer = std::make_shared<Writer>(process.pid)] {
      return !ended_ && writer->is_running();
    };
    live.chunk_limit = options_.chunk_limit;
    auto reader = stream::attach(path, std::move(live));
    if (!reader) return set_error(reader.error());
    std::unique_ptr<TraceReader> events = std::move(*reader);
    if (!options_.record.schedule.empty()) events = std::make_unique<OutcomeReader>(std::move(events));
    if (auto done = follow_(process, std::move(events)); !done) set_error(done.error());
  }

  void set_error(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
  }

  const FollowOptions& options_;
  const Follow& follow_;
  std::string folder_;
  pid_t first_;
  std::string first_stream_;
  std::set<std::string> known_;
  std::map<pid_t, unsigned> images_;  ///< streams of each process so far
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::optional<Error> error_;
  std::list<std::jthread> threads_;
};

/// The files that were made in `folder` since the last call, in their order.
std::vector<std::string> new_files(const FileDescriptor& news, const std::string& folder) {
  std::vector<std::string> paths;
  alignas(inotify_event) std::array<char, 16384> buffer;
  ssize_t size = 0;
  while ((size = read(news.number(), buffer.data(), buffer.size())) > 0) {
    for (ssize_t at = 0; at < size;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      if (event->len > 0) paths.push_back(folder + "/" + event->name);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
  return paths;
}

}  // namespace

Result<RunEnd> run_recorded(const FollowOptions& options, const Follow& follow) {
  auto folder = TemporaryFolder::make(options.directory);
  if (!folder) return std::unexpected(folder.error());
  const FileDescriptor news(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const FileDescriptor ended(eventfd(0, EFD_CLOEXEC));
  if (news.number() < 0 || ended.number() < 0 ||
      inotify_add_watch(news.number(), folder->path().c_str(), IN_MOVED_TO) < 0)
    return fail(fmt::format("cannot watch the recording: {}", std::strerror(errno)), folder->path());

  const SignalsForwarded signals;
  auto child = start_target(options.record, folder->path());
  if (!child) return std::unexpected(child.error());
  SignalsForwarded::to(*child);
  int status = 0;
  std::jthread waiter([&] {
    while (waitpid(*child, &status, 0) < 0 && errno == EINTR) continue;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto told = write(ended.number(), &one, sizeof one);
  });

  Followers followers(options, follow, folder->path(), *child);
  RunEnd end;
  const auto deadline = std::chrono::steady_clock::now() + options.time_limit;
  std::array<pollfd, 2> waits{{{news.number(), POLLIN, 0}, {ended.number(), POLLIN, 0}}};
  while (waits[1].revents == 0) {
    int patience = -1;
    if (options.time_limit.count() > 0 && !end.out_of_time) {
      const auto left = deadline - std::chrono::steady_clock::now();
      patience = static_cast<int>(
          std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    }
    const int ready = poll(waits.data(), waits.size(), patience);
    if (ready < 0) continue;
    for (const std::string& path : new_files(news, folder->path())) followers.add(path);
    if (ready > 0) continue;
    end.out_of_time = true;
    kill(*child, SIGKILL);
    followers.kill_all();
  }
  waiter.join();
  if (auto done = followers.finish(); !done) return std::unexpected(done.error());
  end.exit_code = exit_code_of(status);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.processes = followers.count();
  if (!options.record.schedule.empty() && !followers.first_stream().empty()) {
    auto steps = read_step_log(followers.first_stream());
    if (!steps) return std::unexpected(steps.error());
    end.steps = std::move(*steps);
  }
  return end;
}

}  // namespace ravel

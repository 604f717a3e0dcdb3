#include "runtime/token.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <new>

#include "runtime/proc.h"
#include "runtime/processors.h"
#include "runtime/run_time.h"
#include "runtime/seat.h"
#include "runtime/signal.h"
#include "runtime/step_log.h"

/// Where a debugger stops: the calling thread is about to take the last step of the schedule.
RAVEL_INTERFACE RAVEL_NOINLINE void ravel_decisive_step() { asm volatile(""); }

namespace ravel::rt {

constinit bool controlled = false;
constinit SwitchAt switch_at = SwitchAt::Sync;
__thread bool cancelled_anywhere __attribute__((tls_model("initial-exec"))) = false;

namespace {

constexpr std::uint64_t kStepTime = 1000;  // nanoseconds that a step takes
constexpr std::uint32_t kPollEvery = 64;   // steps between two looks at descriptors, if nobody has used any
constexpr int kPollMilliseconds = 5;       // an idle look at descriptors, and at what other processes share
constexpr unsigned kIdleMilliseconds = 20;
constexpr unsigned kSignalRounds = 50;  // idle rounds in which a signal may still come
constexpr unsigned kWatchMilliseconds = 100;
constexpr unsigned kAsleepLooks = 3;    // so many looks find the thread with the token asleep: it is outside
constexpr unsigned kSilentLooks = 100;  // and so many without a step, whatever it does
constexpr std::uint64_t kSpinning = 1'000'000;  // steps without anything but spinning: no progress

constexpr std::uint32_t kNoTurn = 0, kTurn = 1, kDecide = 2;

__thread Seat* own_seat __attribute__((tls_model("initial-exec"))) = nullptr;

constinit SpinLock guard;

/// Has the guard. Signals wait meanwhile, for their handlers may want it.
class Guarded {
 public:
  Guarded() : thread_(this_thread) {
    if (thread_ != nullptr) ++thread_->inside;
    guard.lock();
  }
  ~Guarded() {
    guard.unlock();
    if (thread_ != nullptr && --thread_->inside == 0 && thread_->pending_signals != 0)
      deliver_pending(*thread_);
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

 private:
  Thread* thread_;
};

constinit Seat** seats = nullptr;  ///< of threads that have not ended, by their index
constinit std::size_t seat_count = 0;
constinit Seat** ended = nullptr;  ///< of those that may still be in the process
constinit std::size_t ended_count = 0;
constinit Candidate* candidates = nullptr;
constinit Seat* holder = nullptr;  ///< null: the token is free
constinit bool deciding = false;   ///< a thread looks for the next one
constinit bool used_descriptors = false;
constinit std::uint32_t arrivals = 0;  ///< futex: counts threads that can go on again
constinit std::uint64_t steps = 0;
constinit std::uint64_t decided_steps = 0;  ///< of the schedule
constinit std::uint64_t last_progress = 0;
constinit std::uint64_t forks = 0;
constinit bool departed = false;
constinit std::uint64_t random_state = 0;

alignas(Arena) constinit std::byte arena_memory[sizeof(Arena)] = {};
constinit Arena* arena = nullptr;
constinit Schedule schedule;
constinit Strategy* strategy = nullptr;
constinit StepLog step_log;

std::span<std::byte> more_memory(void* /*context*/, std::size_t size) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  const std::size_t bytes = size > kBlock ? size : kBlock;
  auto* const memory = static_cast<std::byte*>(reserve_memory(bytes));
  return memory == nullptr ? std::span<std::byte>() : std::span(memory, bytes);
}

void wait_futex(std::uint32_t& word, std::uint32_t value, unsigned milliseconds) {
  const timespec time{0, static_cast<long>(milliseconds) * 1'000'000};
  system_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT_PRIVATE, value,
              reinterpret_cast<long>(&time));
}

void wake_futex(std::uint32_t& word) {
  system_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE_PRIVATE, INT32_MAX);
}

bool is_ready(const Seat& seat) {
  return system_call(SYS_poll, reinterpret_cast<long>(seat.waits.descriptors),
                     static_cast<long>(seat.waits.descriptor_count), 0) != 0;
}

Candidate candidate(const Seat& seat) {
  return {.thread = seat.thread,
          .path = seat.path,
          .next = seat.next.kind,
          .by_time = seat.state == Seat::State::Waiting,
          .deadline = seat.state == Seat::State::Waiting ? seat.waits.deadline : 0,
          .syncs = seat.state_of->time - 1,
          .ordinal = seat.state_of->ordinal,
          .place = seat.next.pc == 0 ? 0 : code_of(seat.next.pc)};
}

/// Threads whose descriptors are ready or whose signals have come can go on.
void look_outside() {
  used_descriptors = false;
  for (std::size_t i = 0; i < seat_count; ++i) {
    Seat& seat = *seats[i];
    if (seat.state != Seat::State::Waiting) continue;
    if ((seat.waits.descriptor_count > 0 && is_ready(seat)) ||
        (seat.waits.signals != 0 && (seat.waits.signals & pending_signals(seat.kernel_thread)) != 0))
      seat.state = Seat::State::Ready;
  }
}

/// Threads that wait for other processes, too, look whether those have changed anything.
void look_at_shared() {
  for (std::size_t i = 0; i < seat_count; ++i)
    if (seats[i]->state == Seat::State::Waiting && seats[i]->waits.shared)
      seats[i]->state = Seat::State::Ready;
}

/// What no other thread need tell.
void notice(Seat& seat) {
  if (seat.state != Seat::State::Waiting) return;
  const std::uint32_t* const word = seat.waits.word;
  if (word != nullptr && __atomic_load_n(word, __ATOMIC_ACQUIRE) != seat.waits.value)
    seat.state = Seat::State::Ready;
  if (has_signal(*seat.state_of)) {
    seat.state = Seat::State::Ready;
    seat.interrupted = true;
  }
}

/// All that can go on, into `candidates`; `chosen_from` says whose they are.
std::size_t collect(Seat** chosen_from, const Seat* current, std::size_t& current_at) {
  std::size_t count = 0;
  current_at = Moment::kNobody;
  for (std::size_t i = 0; i < seat_count; ++i) {
    Seat& seat = *seats[i];
    notice(seat);
    const bool by_time = seat.state == Seat::State::Waiting && seat.waits.deadline != kNever;
    if (seat.state != Seat::State::Ready && !by_time) continue;
    if (&seat == current) current_at = count;
    chosen_from[count] = &seat;
    candidates[count++] = candidate(seat);
  }
  return count;
}

bool is_progress(OperationKind kind) {
  switch (kind) {
    case OperationKind::Yield:
    case OperationKind::Sleep:
    case OperationKind::Atomic:
    case OperationKind::Read:
    case OperationKind::TryLock:
    case OperationKind::TryLockShared:
      return false;
    default:
      return true;
  }
}

std::size_t choose(std::size_t count, std::size_t current) {
  const std::size_t chosen =
      strategy->choose({.step = steps, .candidates = {candidates, count}, .current = current});
  if (!departed && strategy->departure() != nullptr) {
    departed = true;
    report_departure(*strategy->departure());
  }
  const Candidate& one = candidates[chosen];
  step_log.add(one.thread, one.next);
  if (is_progress(one.next)) last_progress = steps;
  ++steps;
  pass_time(kStepTime);
  if (schedule.step_limit != 0 && steps >= schedule.step_limit)
    report_step_limit(steps, steps - last_progress > kSpinning || steps - last_progress > steps / 2);
  return chosen;
}

/// Whether a thread that nobody in this process can wake may be woken all the same.
bool may_be_woken(unsigned round) {
  for (std::size_t i = 0; i < seat_count; ++i) {
    Seat& seat = *seats[i];
    // The C++ library does not say of its futexes that they are not shared.
    if (seat.waits.shared) seat.waits.shared = is_shared_memory(seat.waits.object);
    if (seat.state == Seat::State::Outside || seat.waits.shared || seat.waits.for_signal ||
        seat.waits.descriptor_count > 0)
      return true;
  }
  if (handles_signals() && (round < kSignalRounds || has_armed_timer() || has_children())) return true;
  // A thread that the runtime has never met may come yet.
  return has_other_threads(seat_count);
}

/// Nobody can go on; waits until that may have changed.
void idle() {
  constexpr std::size_t kMost = 64;
  pollfd all[kMost];
  std::size_t count = 0;
  bool shared = false;
  for (std::size_t i = 0; i < seat_count; ++i) {
    const WaitFor& waits = seats[i]->waits;
    if (seats[i]->state != Seat::State::Waiting) continue;
    shared |= waits.shared;
    for (std::size_t k = 0; k < waits.descriptor_count && count < kMost; ++k)
      all[count++] = waits.descriptors[k];
  }
  const std::uint32_t seen = __atomic_load_n(&arrivals, __ATOMIC_RELAXED);
  guard.unlock();
  if (count > 0)
    system_call(SYS_poll, reinterpret_cast<long>(all), static_cast<long>(count), kPollMilliseconds);
  else
    wait_futex(arrivals, seen, shared ? kPollMilliseconds : kIdleMilliseconds);
  guard.lock();
  look_outside();
  look_at_shared();
}

/// Who goes on; waits until somebody can.
Seat& pick(Seat& me) {
  Seat** const from = seats + stream::kMaxThreads;  // the second half is for this
  std::size_t current = Moment::kNobody;
  if (used_descriptors || steps % kPollEvery == 0) look_outside();
  if (steps % kPollEvery == 0) look_at_shared();
  std::size_t count = collect(from, &me, current);
  for (unsigned round = 0; count == 0; ++round) {
    holder = nullptr;
    deciding = true;
    if (!may_be_woken(round)) report_standstill({seats, seat_count}, steps);
    idle();
    count = collect(from, &me, current);
  }
  deciding = false;
  Seat& next = *from[choose(count, current)];
  if (next.state == Seat::State::Waiting) {
    next.timed_out = true;
    next.state = Seat::State::Ready;
    jump_to(next.waits.deadline);
  }
  holder = &next;
  return next;
}

/// Gives the thread something to do, for which it must be woken when the guard is free. The guard is taken:
/// what is given later counts.
void give(Seat& seat, std::uint32_t turn) { __atomic_store_n(&seat.turn, turn, __ATOMIC_RELEASE); }

/// The thread with the token sleeps in the kernel, where only code can have led it that the runtime does not
/// see: it is outside.
bool holder_is_stuck(std::uint64_t seen_steps, unsigned& asleep, unsigned& silent) {
  if (holder == nullptr || deciding || steps != seen_steps) {
    asleep = silent = 0;
    return false;
  }
  asleep = is_asleep(holder->kernel_thread) ? asleep + 1 : 0;
  return asleep >= kAsleepLooks || ++silent >= kSilentLooks;
}

/// Nobody has the token, or looks for who gets it.
bool is_free() { return holder == nullptr && !deciding; }

void hand_over(Seat& me);

/// Waits for the token. The guard is free.
void wait_turn(Seat& me) {
  std::uint64_t seen_steps = 0;
  unsigned asleep = 0, silent = 0;
  while (true) {
    const std::uint32_t turn = __atomic_exchange_n(&me.turn, kNoTurn, __ATOMIC_ACQ_REL);
    if (turn == kTurn) return;
    if (turn == kDecide) {
      guard.lock();
      if (is_free()) return hand_over(me);
      guard.unlock();  // somebody who came back was faster
      continue;
    }
    wait_futex(me.turn, kNoTurn, kWatchMilliseconds);
    if (__atomic_load_n(&me.turn, __ATOMIC_ACQUIRE) != kNoTurn) continue;
    const Locked lock(guard);
    if (__atomic_load_n(&me.turn, __ATOMIC_ACQUIRE) != kNoTurn) continue;
    if (holder_is_stuck(seen_steps, asleep, silent)) {
      holder->state = Seat::State::Outside;
      holder = nullptr;
    }
    if (is_free()) give(me, kDecide);
    seen_steps = steps;
  }
}

void take_decisive_step(Seat& me) {
  if (steps == decided_steps && holder == &me) ravel_decisive_step();
}

/// The thread gives the token to whoever is next, and waits until it is its turn again. The guard is taken,
/// and free afterwards.
void hand_over(Seat& me) {
  const bool had_it = holder == &me;
  Seat& next = pick(me);
  if (&next == &me) {
    guard.unlock();
    return;
  }
  if (had_it && this_thread != nullptr) record_switch(*this_thread);
  give(next, kTurn);
  guard.unlock();
  wake_futex(next.turn);
  wait_turn(me);
}

/// The same for a thread that does not wait: it is outside or ends. Frees the guard.
void pass_on(Seat& me) {
  if (this_thread != nullptr) record_switch(*this_thread);
  Seat** const from = seats + stream::kMaxThreads;
  std::size_t current = Moment::kNobody;
  look_outside();
  if (const std::size_t count = collect(from, &me, current); count > 0) {
    Seat& next = pick(me);
    give(next, kTurn);
    guard.unlock();
    return wake_futex(next.turn);
  }
  holder = nullptr;
  Seat* decider = nullptr;
  for (std::size_t i = 0; i < seat_count && decider == nullptr; ++i)
    if (seats[i]->state == Seat::State::Waiting) decider = seats[i];
  if (decider != nullptr) give(*decider, kDecide);
  guard.unlock();
  if (decider != nullptr) wake_futex(decider->turn);
}

/// The thread can go on, and waits for its turn. The guard is taken, and free afterwards.
void queue_up(Seat& me) {
  me.state = Seat::State::Ready;
  if (is_free()) return hand_over(me);
  ++arrivals;
  guard.unlock();
  wake_futex(arrivals);
  wait_turn(me);
}

char* read_file(const char* path, std::size_t& size) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  const long file = system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  auto* const text = static_cast<char*>(reserve_memory(kLargest));
  if (file < 0 || text == nullptr) return nullptr;
  long got = 0;
  for (size = 0; size < kLargest; size += static_cast<std::size_t>(got)) {
    got =
        system_call(SYS_read, file, reinterpret_cast<long>(text + size), static_cast<long>(kLargest - size));
    if (got <= 0) break;
  }
  system_call(SYS_close, file);
  return got < 0 ? nullptr : text;
}

ForkPath path_of(const Thread& thread) {
  if (thread.index == 0) return {arena->copy("0")};
  for (std::size_t i = 0; i < seat_count; ++i)
    if (seats[i]->thread == thread.slot->parent && thread.slot->parent != thread.index)
      return seats[i]->path.child(thread.slot->index, *arena);
  // Nobody has started it; no thread of the program has so many children.
  constexpr std::uint64_t kStrangers = 1'000'000;
  return ForkPath{"0"}.child(kStrangers + thread.index, *arena);
}

/// The calling thread is the first one.
void begin_run() {
  strategy = make_strategy(schedule, *arena);
  if (strategy == nullptr) die("the schedule asks for a strategy that there is not");
  seat_count = ended_count = 0;
  steps = last_progress = 0;
  departed = false;
  random_state = ~schedule.seed;
  step_log.create(recorder.stream.path());
  Seat* const seat = make_seat(*this_thread);
  if (seat == nullptr) die("no memory to control the run");
  own_seat = seat;
  seat->kernel_thread = kernel_thread_id();
  seats[seat_count++] = seat;
  holder = seat;
}

}  // namespace

bool start_control(const char* schedule_file) {
  const Quiet quiet;
  std::size_t size = 0;
  char* const text = read_file(schedule_file, size);
  if (text == nullptr) {
    complain("cannot read the schedule ", schedule_file);
    return false;
  }
  arena = new (arena_memory) Arena(more_memory, nullptr);
  if (const ScheduleError error = parse_schedule({text, size}, *arena, schedule); !error.ok()) {
    complain("the schedule is wrong: ", error.message);
    return false;
  }
  seats = static_cast<Seat**>(reserve_memory(std::size_t{2} * stream::kMaxThreads * sizeof(Seat*)));
  ended = static_cast<Seat**>(reserve_memory(stream::kMaxThreads * sizeof(Seat*)));
  candidates = static_cast<Candidate*>(reserve_memory(stream::kMaxThreads * sizeof(Candidate)));
  if (seats == nullptr || ended == nullptr || candidates == nullptr) return false;
  for (const Decision& decision : schedule.decisions) decided_steps += decision.steps;
  if (decided_steps == 0) decided_steps = UINT64_MAX;
  switch_at = schedule.switch_at;
  start_run_time(schedule.virtual_time, schedule.start_time);
  use_one_processor();
  begin_run();
  controlled = true;
  return true;
}

void restart_control() {
  if (!controlled) return;
  const Quiet quiet;
  guard = {};
  holder = nullptr;
  deciding = false;
  // What the schedule says is about the first process. The child's own chances are others than its parent's.
  schedule.seed = (schedule.seed + forks) * 0x9e3779b97f4a7c15ULL + 1;
  schedule.decisions = {};
  schedule.constraints = {};
  decided_steps = UINT64_MAX;
  if (this_thread == nullptr) {
    controlled = false;
    return;
  }
  begin_run();
}

void reach(const Operation& operation) {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  {
    const Inside inside(*this_thread);
    me->state_of = this_thread;
    guard.lock();
    me->next = operation;
    if (operation.kind == OperationKind::Create) ++forks;
    if (me->state == Seat::State::Outside)
      queue_up(*me);
    else
      hand_over(*me);
    take_decisive_step(*me);
    // It will have changed some when the next one is chosen.
    if (operation.kind == OperationKind::Block) used_descriptors = true;
  }
  if (cancelled_anywhere) pthread_testcancel();
}

Waking wait_for(const Operation& operation, const WaitFor& what) {
  Seat* const me = own_seat;
  if (me == nullptr) return Waking::Woken;
  Waking waking = Waking::Woken;
  {
    const Inside inside(*this_thread);
    me->state_of = this_thread;
    guard.lock();
    if (me->state == Seat::State::Outside) {
      queue_up(*me);
      guard.lock();
    }
    me->next = operation;
    me->waits = what;
    me->since = steps;
    me->timed_out = me->interrupted = false;
    me->state = Seat::State::Waiting;
    hand_over(*me);
    me->waits = {};
    if (me->interrupted)
      waking = wants_restart(*this_thread) ? Waking::Restarted : Waking::Interrupted;
    else if (me->timed_out)
      waking = Waking::TimedOut;
  }
  if (cancelled_anywhere) pthread_testcancel();
  return waking;
}

void wake_all(const void* object) { wake_first(object, SIZE_MAX); }

std::size_t wake_first(const void* object, std::size_t most, std::uint32_t bits) {
  const Guarded guarded;
  std::size_t woken = 0;
  for (; woken < most; ++woken) {
    Seat* first = nullptr;
    for (std::size_t i = 0; i < seat_count; ++i) {
      Seat* const seat = seats[i];
      if (seat->state == Seat::State::Waiting && seat->waits.object == object && object != nullptr &&
          (seat->waits.bits & bits) != 0 && (first == nullptr || seat->since < first->since))
        first = seat;
    }
    if (first == nullptr) break;
    first->state = Seat::State::Ready;
  }
  return woken;
}

void wake_chosen(const void* object) {
  const Guarded guarded;
  Seat** const from = seats + stream::kMaxThreads;
  std::size_t count = 0;
  for (std::size_t i = 0; i < seat_count; ++i) {
    Seat& seat = *seats[i];
    if (seat.state != Seat::State::Waiting || seat.waits.object != object) continue;
    from[count] = &seat;
    candidates[count] = candidate(seat);
    candidates[count++].by_time = false;
  }
  if (count == 0) return;
  from[count == 1 ? 0 : choose(count, Moment::kNobody)]->state = Seat::State::Ready;
}

std::size_t move_waiters(const void* from, const void* to, std::size_t most) {
  const Guarded guarded;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < seat_count && moved < most; ++i) {
    Seat& seat = *seats[i];
    if (seat.state != Seat::State::Waiting || seat.waits.object != from) continue;
    seat.waits.object = to;
    ++moved;
  }
  return moved;
}

void go_outside() {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  const Inside inside(*this_thread);
  guard.lock();
  if (me->state == Seat::State::Outside) return guard.unlock();
  me->state = Seat::State::Outside;
  pass_on(*me);
}

void come_back() {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  const Inside inside(*this_thread);
  guard.lock();
  if (me->state != Seat::State::Outside) return guard.unlock();  // a signal's handler has brought it back
  queue_up(*me);
}

namespace {

void drop(Seat& seat, const void* object) {
  for (std::uint32_t i = seat.held_count; i > 0; --i) {
    if (seat.held[i - 1].object != object) continue;
    for (std::uint32_t k = i; k < seat.held_count; ++k) seat.held[k - 1] = seat.held[k];
    --seat.held_count;
    return;
  }
}

}  // namespace

void hold(const void* object, Pc pc) {
  Seat* const me = own_seat;
  if (me == nullptr || me->held_count >= Seat::kHoldings) return;
  const Guarded guarded;
  me->held[me->held_count++] = {object, pc};
}

void let_go(const void* object) {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  const Guarded guarded;
  drop(*me, object);
}

void free_everywhere(const void* object) {
  const Guarded guarded;
  for (std::size_t i = 0; i < seat_count; ++i) drop(*seats[i], object);
}

bool is_held(const void* object, bool by_others) {
  const Guarded guarded;
  for (std::size_t i = 0; i < seat_count; ++i) {
    if (by_others && seats[i] == own_seat) continue;
    for (std::uint32_t k = 0; k < seats[i]->held_count; ++k)
      if (seats[i]->held[k].object == object) return true;
  }
  return false;
}

std::span<Seat* const> all_seats() { return {seats, seat_count}; }

Seat* make_seat(const Thread& thread) {
  const Quiet quiet;  // the schedule's code is the runtime's here, its memory functions are the program's
  auto* const seat = static_cast<Seat*>(reserve_memory(sizeof(Seat)));
  if (seat == nullptr) return nullptr;
  new (seat) Seat{};
  const Guarded guarded;
  seat->thread = thread.index;
  seat->state_of = const_cast<Thread*>(&thread);
  seat->path = path_of(thread);
  seat->next.kind = OperationKind::Start;
  return seat;
}

void seat_child(Seat* seat) {
  const Guarded guarded;
  seats[seat_count++] = seat;
}

void discard_seat(Seat* seat) { release_memory(seat, sizeof(Seat)); }

void sit_down(Seat* seat) {
  seat->kernel_thread = kernel_thread_id();
  own_seat = seat;
  const Inside inside(*seat->state_of);
  wait_turn(*seat);
}

void join_run(Thread& self) {
  Seat* const seat = make_seat(self);
  if (seat == nullptr) return;
  seat->kernel_thread = kernel_thread_id();
  own_seat = seat;
  this_thread = &self;
  const Inside inside(self);
  guard.lock();
  seats[seat_count++] = seat;
  queue_up(*seat);
}

void stand_up() {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  guard.lock();
  own_seat = nullptr;
  me->state = Seat::State::Ended;
  std::size_t at = 0;
  while (at < seat_count && seats[at] != me) ++at;
  if (at < seat_count) {
    for (; at + 1 < seat_count; ++at) seats[at] = seats[at + 1];
    --seat_count;
  }
  ended[ended_count++] = me;
  // What it had and was robust is free when it is gone; who waits for the rest will see that it is not.
  for (std::size_t i = 0; i < seat_count; ++i)
    for (std::uint32_t k = 0; k < me->held_count; ++k)
      if (seats[i]->state == Seat::State::Waiting && seats[i]->waits.object == me->held[k].object)
        seats[i]->state = Seat::State::Ready;
  if (seat_count == 0) return guard.unlock();
  pass_on(*me);
}

void nudge(std::uint32_t thread) {
  const Guarded guarded;
  for (std::size_t i = 0; i < seat_count; ++i)
    if (seats[i]->thread == thread && seats[i]->state == Seat::State::Waiting)
      seats[i]->state = Seat::State::Ready;
}

void await_ended_threads() {
  while (true) {
    std::uint32_t thread = 0;
    {
      const Guarded guarded;
      if (ended_count == 0) return;
      thread = ended[ended_count - 1]->kernel_thread;
    }
    while (thread_exists(thread)) yield_processor();
    const Guarded guarded;
    release_memory(ended[--ended_count], sizeof(Seat));
  }
}

bool fill_randomly(void* to, std::size_t bytes) {
  if (!controlled || !schedule.virtual_random) return false;
  const Guarded guarded;
  auto* const out = static_cast<unsigned char*>(to);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) {  // splitmix64
      random_state += 0x9e3779b97f4a7c15ULL;
      value = random_state;
      value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ULL;
      value = (value ^ value >> 27) * 0x94d049bb133111ebULL;
      value ^= value >> 31;
    }
    out[i] = static_cast<unsigned char>(value >> (i % 8 * 8));
  }
  return true;
}

}  // namespace ravel::rt

#include "runtime/token.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <new>

#include "runtime/init.h"
#include "runtime/openmp.h"
#include "runtime/proc.h"
#include "runtime/processors.h"
#include "runtime/raw_calls.h"
#include "runtime/run_random.h"
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

constexpr std::uint32_t kNoTurn = 0, kTurn = 1, kDecide = 2;

constinit Candidate* candidates = nullptr;
constinit Seat** chosen_from = nullptr;  ///< whose they are
constinit Seat* holder = nullptr;        ///< null: the token is free
constinit bool deciding = false;         ///< a thread looks for the next one
constinit bool used_descriptors = false;
constinit std::uint32_t arrivals = 0;  ///< futex: counts threads that can go on again
constinit std::uint64_t steps = 0;
constinit std::uint64_t decided_steps = 0;  ///< of the schedule
constinit std::uint64_t last_progress = 0;
constinit std::uint64_t forks = 0;
constinit bool departed = false;

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
  for (Seat* const each : seats) {
    Seat& seat = *each;
    if (seat.state != Seat::State::Waiting) continue;
    if ((seat.waits.descriptor_count > 0 && is_ready(seat)) ||
        (seat.waits.signals != 0 && (seat.waits.signals & pending_signals(seat.kernel_thread)) != 0))
      seat.state = Seat::State::Ready;
  }
}

/// Threads that wait for other processes, too, look whether those have changed anything.
void look_at_shared() {
  for (Seat* const seat : seats)
    if (seat->state == Seat::State::Waiting && seat->waits.shared) seat->state = Seat::State::Ready;
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
std::size_t collect(const Seat* current, std::size_t& current_at) {
  std::size_t count = 0;
  current_at = Moment::kNobody;
  for (Seat* const each : seats) {
    Seat& seat = *each;
    notice(seat);
    const bool by_time = seat.state == Seat::State::Waiting && seat.waits.deadline != kNever;
    if (seat.state != Seat::State::Ready && !by_time) continue;
    if (&seat == current) current_at = count;
    chosen_from[count] = &seat;
    candidates[count++] = candidate(seat);
  }
  return count;
}

/// Whether another thread may see that it was done. Atomic operations say so themselves (note_progress).
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

/// What LLVM's OpenMP runtime does to its own state, at once: it looks whether there is something to do, and
/// goes to sleep, say. Between the two others could come, and rarely do: the thread would miss them.
bool is_within_openmp(const Operation& operation) {
  if (!is_openmp_code(operation.pc)) return false;
  switch (operation.kind) {
    case OperationKind::Lock:
    case OperationKind::TryLock:
    case OperationKind::Unlock:
    case OperationKind::NotifyOne:
    case OperationKind::NotifyAll:
    case OperationKind::Read:  // memory that it gets and gives back
    case OperationKind::Write:
      return true;
    default:
      return false;
  }
}

bool may_be_woken(unsigned round);

/// The threads only look and wait, at what nobody changes. Code that was not compiled for ravel may change
/// things unseen.
bool is_livelock() {
  return steps - last_progress > kLivelockSteps && is_instrumented() && !may_be_woken(kSignalRounds);
}

void look_for_departure() {
  if (departed || strategy->departure() == nullptr) return;
  departed = true;
  report_departure(*strategy->departure());
}

std::size_t choose(std::size_t count, std::size_t current) {
  const std::size_t chosen =
      strategy->choose({.step = steps, .candidates = {candidates, count}, .current = current});
  look_for_departure();
  const Candidate& one = candidates[chosen];
  step_log.add(one.thread, one.next);
  if (is_progress(one.next)) last_progress = steps;
  ++steps;
  pass_time(kStepTime);
  if (schedule.step_limit != 0 && steps >= schedule.step_limit) report_step_limit(steps, is_livelock());
  return chosen;
}

/// Whether a thread that nobody in this process can wake may be woken all the same.
bool may_be_woken(unsigned round) {
  for (Seat* const each : seats) {
    Seat& seat = *each;
    // The C++ library does not say of its futexes that they are not shared.
    if (seat.waits.shared) seat.waits.shared = is_shared_memory(seat.waits.object);
    if (seat.state == Seat::State::Outside || seat.waits.shared || seat.waits.for_signal ||
        seat.waits.descriptor_count > 0)
      return true;
  }
  if (handles_signals() && (round < kSignalRounds || has_armed_timer() || has_children())) return true;
  // A thread that the runtime has never met may come yet.
  return has_other_threads(seats.size());
}

/// Nobody can go on; waits until that may have changed.
void idle() {
  constexpr std::size_t kMost = 64;
  pollfd all[kMost];
  std::size_t count = 0;
  bool shared = false;
  for (const Seat* const seat : seats) {
    const WaitFor& waits = seat->waits;
    if (seat->state != Seat::State::Waiting) continue;
    shared |= waits.shared;
    for (std::size_t k = 0; k < waits.descriptor_count && count < kMost; ++k)
      all[count++] = waits.descriptors[k];
  }
  const std::uint32_t seen = __atomic_load_n(&arrivals, __ATOMIC_RELAXED);
  seats.guard.unlock();
  if (count > 0)
    system_call(SYS_poll, reinterpret_cast<long>(all), static_cast<long>(count), kPollMilliseconds);
  else
    wait_futex(arrivals, seen, shared ? kPollMilliseconds : kIdleMilliseconds);
  seats.guard.lock();
  look_outside();
  look_at_shared();
}

/// Who goes on; waits until somebody can.
Seat& pick(Seat& me) {
  std::size_t current = Moment::kNobody;
  if (used_descriptors || steps % kPollEvery == 0) look_outside();
  if (steps % kPollEvery == 0) look_at_shared();
  std::size_t count = collect(&me, current);
  for (unsigned round = 0; count == 0; ++round) {
    holder = nullptr;
    deciding = true;
    if (!may_be_woken(round)) report_standstill(steps);
    idle();
    count = collect(&me, current);
  }
  deciding = false;
  Seat& next = *chosen_from[choose(count, current)];
  if (next.state == Seat::State::Waiting) {
    next.timed_out = true;
    next.state = Seat::State::Ready;
    jump_to(next.waits.deadline);
  }
  ++next.recent_steps;
  if (next.next.kind == OperationKind::Yield) ++next.recent_yields;
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
      seats.guard.lock();
      if (is_free()) return hand_over(me);
      seats.guard.unlock();  // somebody who came back was faster
      continue;
    }
    wait_futex(me.turn, kNoTurn, kWatchMilliseconds);
    if (__atomic_load_n(&me.turn, __ATOMIC_ACQUIRE) != kNoTurn) continue;
    const Locked lock(seats.guard);
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
    seats.guard.unlock();
    return;
  }
  if (had_it && this_thread != nullptr) record_switch(*this_thread);
  give(next, kTurn);
  seats.guard.unlock();
  wake_futex(next.turn);
  wait_turn(me);
}

/// The same for a thread that does not wait: it is outside or ends. Frees the guard.
void pass_on(Seat& me) {
  if (this_thread != nullptr) record_switch(*this_thread);
  std::size_t current = Moment::kNobody;
  look_outside();
  if (const std::size_t count = collect(&me, current); count > 0) {
    Seat& next = pick(me);
    give(next, kTurn);
    seats.guard.unlock();
    return wake_futex(next.turn);
  }
  holder = nullptr;
  Seat* decider = nullptr;
  for (Seat* const seat : seats)
    if (decider == nullptr && seat->state == Seat::State::Waiting) decider = seat;
  if (decider != nullptr) give(*decider, kDecide);
  seats.guard.unlock();
  if (decider != nullptr) wake_futex(decider->turn);
}

/// The thread can go on, and waits for its turn. The guard is taken, and free afterwards.
void queue_up(Seat& me) {
  me.state = Seat::State::Ready;
  if (is_free()) return hand_over(me);
  ++arrivals;
  seats.guard.unlock();
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
  for (const Seat* const seat : seats)
    if (seat->thread == thread.slot->parent && thread.slot->parent != thread.index)
      return seat->path.child(thread.slot->index, *arena);
  // Nobody has started it; no thread of the program has so many children.
  constexpr std::uint64_t kStrangers = 1'000'000;
  return ForkPath{"0"}.child(kStrangers + thread.index, *arena);
}

/// The calling thread is the first one.
void begin_run() {
  strategy = make_strategy(schedule, *arena);
  if (strategy == nullptr) die("the schedule asks for a strategy that there is not");
  seats.clear();
  steps = last_progress = 0;
  departed = false;
  start_run_random(schedule.virtual_random, schedule.seed);
  step_log.create(recorder.stream.path());
  Seat* const seat = make_seat(*this_thread);
  if (seat == nullptr) die("no memory to control the run");
  own_seat = seat;
  seat->kernel_thread = kernel_thread_id();
  seats.add(*seat);
  holder = seat;
  catch_raw_calls();
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
  candidates = static_cast<Candidate*>(reserve_memory(stream::kMaxThreads * sizeof(Candidate)));
  chosen_from = static_cast<Seat**>(reserve_memory(stream::kMaxThreads * sizeof(Seat*)));
  if (!seats.reserve() || candidates == nullptr || chosen_from == nullptr) return false;
  for (const Decision& decision : schedule.decisions) decided_steps += decision.steps;
  if (decided_steps == 0) decided_steps = UINT64_MAX;
  switch_at = schedule.switch_at;
  start_run_time(schedule.virtual_time, schedule.start_time);
  use_one_processor();
  prepare_raw_calls();
  begin_run();
  controlled = true;
  return true;
}

void restart_control() {
  if (!controlled) return;
  const Quiet quiet;
  seats.guard = {};
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

void end_control() {
  if (!controlled || own_seat == nullptr || this_thread == nullptr) return;
  own_seat->state_of = this_thread;  // it may have been a fiber that is gone
  const Guarded guarded;
  std::size_t current = Moment::kNobody;
  const std::size_t count = collect(own_seat, current);
  strategy->end({.step = steps, .candidates = {candidates, count}, .current = current});
  look_for_departure();
}

void reach(const Operation& operation) {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  {
    const Inside inside(*this_thread);
    catch_raw_calls_again();
    me->state_of = this_thread;
    seats.guard.lock();
    if (me->state != Seat::State::Outside && is_within_openmp(operation)) return seats.guard.unlock();
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
    seats.guard.lock();
    if (me->state == Seat::State::Outside) {
      queue_up(*me);
      seats.guard.lock();
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

void note_progress() { last_progress = steps; }

void wake_chosen(const void* object) {
  const Guarded guarded;
  std::size_t count = 0;
  for (Seat* const each : seats) {
    Seat& seat = *each;
    if (seat.state != Seat::State::Waiting || seat.waits.object != object) continue;
    chosen_from[count] = &seat;
    candidates[count] = candidate(seat);
    candidates[count++].by_time = false;
  }
  if (count == 0) return;
  chosen_from[count == 1 ? 0 : choose(count, Moment::kNobody)]->state = Seat::State::Ready;
}

void let_others_look(Pc pc) {
  constexpr std::uint32_t kYields = 2, kSteps = 64;
  if (own_seat == nullptr) return;
  {
    const Guarded guarded;
    for (Seat* const seat : seats) seat->recent_steps = seat->recent_yields = 0;
  }
  const auto have_looked = [] {
    const Guarded guarded;
    for (const Seat* const seat : seats)
      if (seat != own_seat && seat->state == Seat::State::Ready && seat->recent_yields < kYields &&
          seat->recent_steps < kSteps)
        return false;
    return true;
  };
  while (!have_looked()) reach({.kind = OperationKind::Yield, .pc = pc});
}

void go_outside() {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  const Inside inside(*this_thread);
  seats.guard.lock();
  if (me->state == Seat::State::Outside) return seats.guard.unlock();
  me->state = Seat::State::Outside;
  pass_on(*me);
}

void come_back() {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  const Inside inside(*this_thread);
  seats.guard.lock();
  if (me->state != Seat::State::Outside)
    return seats.guard.unlock();  // a signal's handler has brought it back
  queue_up(*me);
}

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
  seats.add(*seat);
}

void discard_seat(Seat* seat) { release_memory(seat, sizeof(Seat)); }

void sit_down(Seat* seat) {
  seat->kernel_thread = kernel_thread_id();
  own_seat = seat;
  catch_raw_calls();
  const Inside inside(*seat->state_of);
  wait_turn(*seat);
}

void join_run(Thread& self) {
  Seat* const seat = make_seat(self);
  if (seat == nullptr) return;
  seat->kernel_thread = kernel_thread_id();
  own_seat = seat;
  this_thread = &self;
  catch_raw_calls();
  const Inside inside(self);
  seats.guard.lock();
  seats.add(*seat);
  queue_up(*seat);
}

void stand_up() {
  Seat* const me = own_seat;
  if (me == nullptr) return;
  let_raw_calls_pass();
  seats.guard.lock();
  own_seat = nullptr;
  seats.remove(*me);
  // What it had and was robust is free when it is gone; who waits for the rest will see that it is not.
  for (Seat* const seat : seats)
    for (std::uint32_t k = 0; k < me->held_count; ++k)
      if (seat->state == Seat::State::Waiting && seat->waits.object == me->held[k].object)
        seat->state = Seat::State::Ready;
  if (seats.size() == 0) return seats.guard.unlock();
  pass_on(*me);
}

}  // namespace ravel::rt

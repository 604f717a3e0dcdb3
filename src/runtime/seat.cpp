#include "runtime/seat.h"

#include "runtime/proc.h"

namespace ravel::rt {

constinit Seats seats;
__thread Seat* own_seat __attribute__((tls_model("initial-exec"))) = nullptr;

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

bool Seats::reserve() {
  constexpr std::size_t kBytes = stream::kMaxThreads * sizeof(Seat*);
  all_ = static_cast<Seat**>(reserve_memory(kBytes));
  ended_ = static_cast<Seat**>(reserve_memory(kBytes));
  return all_ != nullptr && ended_ != nullptr;
}

void Seats::remove(Seat& seat) {
  seat.state = Seat::State::Ended;
  std::size_t at = 0;
  while (at < count_ && all_[at] != &seat) ++at;
  if (at < count_) {
    for (; at + 1 < count_; ++at) all_[at] = all_[at + 1];
    --count_;
  }
  ended_[ended_count_++] = &seat;
}

void wake_all(const void* object) { wake_first(object, SIZE_MAX); }

std::size_t wake_first(const void* object, std::size_t most, std::uint32_t bits) {
  const Guarded guarded;
  std::size_t woken = 0;
  for (; woken < most; ++woken) {
    Seat* first = nullptr;
    for (Seat* const seat : seats) {
      if (seat->state == Seat::State::Waiting && seat->waits.object == object && object != nullptr &&
          (seat->waits.bits & bits) != 0 && (first == nullptr || seat->since < first->since))
        first = seat;
    }
    if (first == nullptr) break;
    first->state = Seat::State::Ready;
  }
  return woken;
}

std::size_t move_waiters(const void* from, const void* to, std::size_t most) {
  const Guarded guarded;
  std::size_t moved = 0;
  for (Seat* const seat : seats) {
    if (moved == most) break;
    if (seat->state != Seat::State::Waiting || seat->waits.object != from) continue;
    seat->waits.object = to;
    ++moved;
  }
  return moved;
}

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
  for (Seat* const seat : seats) drop(*seat, object);
}

bool is_held(const void* object, bool by_others) {
  const Guarded guarded;
  for (const Seat* const seat : seats) {
    if (by_others && seat == own_seat) continue;
    for (std::uint32_t k = 0; k < seat->held_count; ++k)
      if (seat->held[k].object == object) return true;
  }
  return false;
}

void nudge(std::uint32_t thread) {
  const Guarded guarded;
  for (Seat* const seat : seats)
    if (seat->thread == thread && seat->state == Seat::State::Waiting) seat->state = Seat::State::Ready;
}

void await_ended_threads() {
  while (true) {
    std::uint32_t thread = 0;
    {
      const Guarded guarded;
      if (seats.last_ended() == nullptr) return;
      thread = seats.last_ended()->kernel_thread;
    }
    while (thread_exists(thread)) yield_processor();
    const Guarded guarded;
    release_memory(seats.last_ended(), sizeof(Seat));
    seats.forget_last_ended();
  }
}

}  // namespace ravel::rt

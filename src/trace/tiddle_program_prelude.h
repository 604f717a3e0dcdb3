// The fixed parts of a Tiddle program.
//
// Internal to the Tiddle compiler (tiddle_program.h).
#pragma once

#include <string_view>

namespace ravel {

inline constexpr std::string_view kProgramHead =
    R"(// Made by ravel from a Tiddle trace. Build with: -std=c++20 -pthread
#include <sched.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <random>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <utility>

// What holds the operations together. It is not part of the trace: RAVEL-invisible, and hidden from other tools by the
// attribute. It makes no call that a tool would take for synchronization. Under no_sanitize clang would still show the
// atomic operations to ThreadSanitizer.
#ifdef __clang__
#define HIDDEN __attribute__((disable_sanitizer_instrumentation, noinline))
#else
#define HIDDEN __attribute__((no_sanitize("thread"), noinline))
#endif

namespace lockstep {

bool printing = false;

HIDDEN void print(const char* text) {
  if (printing) std::puts(text);
}

// Waits until another thread has been started.
HIDDEN void await(const bool& flag) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) sched_yield();
}
HIDDEN void raise(bool& flag) { __atomic_store_n(&flag, true, __ATOMIC_RELEASE); }

// Keeps a read or write from being optimised away.
inline void use(std::int64_t value) { __asm__ volatile("" : : "r"(value) : "memory"); }
inline void settle() { __asm__ volatile("" : : : "memory"); }

HIDDEN void expect(std::int64_t seen, std::int64_t expected, const char* text) {
  if (seen == expected) return;
  std::fprintf(stderr, "%s: the value is %lld\n", text, static_cast<long long>(seen));
  std::abort();
}

// Marks of the trace that have no effect: a tool may look for calls of these functions.
__attribute__((noinline)) void unit_begin(const char* label) { __asm__ volatile("" : : "r"(label)); }
__attribute__((noinline)) void unit_end(const char* label) { __asm__ volatile("" : : "r"(label)); }
__attribute__((noinline)) void function_enter(const char* name) { __asm__ volatile("" : : "r"(name)); }
__attribute__((noinline)) void function_leave(const char* name) { __asm__ volatile("" : : "r"(name)); }
)";

inline constexpr std::string_view kDeterministicTurns = R"(
// One operation a turn. Each thread waits for its own turns and ends them.
unsigned long long current = 0;

HIDDEN void begin() { __atomic_store_n(&current, 0ULL, __ATOMIC_RELEASE); }
HIDDEN bool reached(unsigned long long number) { return __atomic_load_n(&current, __ATOMIC_ACQUIRE) >= number; }
HIDDEN void turn(unsigned long long number) {
  while (!reached(number)) sched_yield();
}
HIDDEN void done(unsigned long long number, const char* text) {
  print(text);
  __atomic_store_n(&current, number + 1, __ATOMIC_RELEASE);
}

// How long a thread waits for a notify that came too early before it looks at the turn again.
inline constexpr std::chrono::milliseconds patience(10);
)";

// The three nondeterministic modes differ in what turn() does.
inline constexpr std::string_view kFreeTurns = R"(
inline void begin() {}
inline bool reached(unsigned long long /*number*/) { return true; }
inline void done(unsigned long long /*number*/, const char* text) { print(text); }

// A wait whose notify came too early ends all the same.
inline constexpr std::chrono::milliseconds patience(100);
)";

inline constexpr std::string_view kFreeTurn = R"(
inline void turn(unsigned long long /*number*/) {}
)";
inline constexpr std::string_view kYieldTurn = R"(
inline void turn(unsigned long long /*number*/) { std::this_thread::yield(); }
)";
inline constexpr std::string_view kSleepTurn = R"(
inline void turn(unsigned long long /*number*/) {
  thread_local std::minstd_rand random(std::random_device{}());
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 1000));
}
)";

inline constexpr std::string_view kTurnsEnd = R"(
}  // namespace lockstep
)";

}  // namespace ravel

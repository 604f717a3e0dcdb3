// How fast `.rvl` events are encoded and decoded, and how many bytes they take.
//
// The trace is made up: 8 threads, 64 locks, 100,000 variables, runs of several events of one thread,
// critical sections, places that depend on the variable and the kind. `Local` threads work their way through
// an array or sit on a few hot variables; `Scattered` ones pick any variable each time, which no model can
// predict.
#include <benchmark/benchmark.h>

#include <random>

#include "event/check.h"
#include "trace/rvl.h"
#include "trace/rvl_block.h"
#include "trace/rvl_events.h"

namespace ravel {
namespace {

constexpr std::uint32_t kThreads = 8, kLocks = 64, kVariables = 100'000, kPlacesPerKind = 1000;
constexpr std::size_t kEvents = 1 << 20;

enum Shape : std::int64_t { kLocal, kScattered, kLocalWithValues };

struct Trace {
  Tables tables;
  std::vector<Event> events;
};

/// One thread of the made-up program.
struct Worker {
  std::uint32_t cursor = 0;  ///< the variable it is at
  int lock = -1;             ///< that it holds
};

Trace make_trace(Shape shape) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  Trace trace;
  for (std::uint32_t i = 0; i < kThreads; ++i) trace.tables.threads.push_back("T" + std::to_string(i));
  for (std::uint32_t i = 0; i < kLocks; ++i) trace.tables.locks.push_back("L" + std::to_string(i));
  for (std::uint32_t i = 0; i < kVariables; ++i) trace.tables.variables.push_back("V" + std::to_string(i));
  for (std::uint32_t i = 0; i < 4 * kPlacesPerKind; ++i) trace.tables.places.push_back({"a.cpp", i, "f"});

  std::vector<Worker> workers(kThreads);
  std::vector<bool> held(kLocks);
  const auto add = [&](EventKind kind, std::uint32_t thread, TargetSpace space, std::uint32_t index) {
    Event event;
    event.kind = kind;
    event.thread = ThreadId(thread);
    event.target = synthetic_address(space, index);
    event.position = trace.events.size() + 1;
    const bool lock = space == TargetSpace::Lock;
    const std::uint32_t group = lock ? index : index / (kVariables / kPlacesPerKind);
    const std::uint32_t column =
        (lock ? 2U : 0U) + (kind == EventKind::Write || kind == EventKind::Release ? 1U : 0U);
    event.place = PlaceId(group * 4 + column);
    event.width = lock ? 0 : kSyntheticWidth;
    if (shape == kLocalWithValues && !lock) {
      event.has_value = true;
      event.value = below(1000);
    }
    trace.events.push_back(event);
  };
  while (trace.events.size() < kEvents) {
    const std::uint32_t thread = below(kThreads);
    Worker& worker = workers[thread];
    for (std::uint32_t run = 2 + below(12); run > 0; --run) {
      const std::uint32_t dice = below(16);
      if (dice == 0 && worker.lock < 0) {
        const std::uint32_t lock = below(kLocks);
        if (held[lock]) continue;
        held[lock] = true;
        worker.lock = static_cast<int>(lock);
        add(EventKind::Acquire, thread, TargetSpace::Lock, lock);
      } else if (dice == 0) {
        held[static_cast<std::size_t>(worker.lock)] = false;
        add(EventKind::Release, thread, TargetSpace::Lock, static_cast<std::uint32_t>(worker.lock));
        worker.lock = -1;
      } else {
        if (shape == kScattered || dice == 1) {
          worker.cursor = below(kVariables);
        } else if (dice < 8) {
          worker.cursor = (worker.cursor + 1) % kVariables;
        }
        add(below(4) == 0 ? EventKind::Write : EventKind::Read, thread, TargetSpace::Variable, worker.cursor);
      }
    }
  }
  return trace;
}

std::vector<Bytes> encode(const Trace& trace) {
  rvl::EventEncoder encoder;
  rvl::BlockSealer sealer;
  std::vector<Bytes> blocks;
  Bytes payload;
  for (std::size_t at = 0; at < trace.events.size(); at += rvl::kBlockEvents) {
    const auto part =
        std::span(trace.events).subspan(at, std::min(rvl::kBlockEvents, trace.events.size() - at));
    encoder.add(part);
    encoder.finish(payload);
    sealer.seal({.type = rvl::BlockType::Events,
                 .events = static_cast<std::uint32_t>(part.size()),
                 .first_position = at + 1},
                payload, blocks.emplace_back());
  }
  return blocks;
}

void report(benchmark::State& state, const Trace& trace, const std::vector<Bytes>& blocks) {
  std::size_t bytes = 0;
  for (const Bytes& block : blocks) bytes += block.size();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * trace.events.size()));
  state.counters["bytes/event"] = static_cast<double>(bytes) / static_cast<double>(trace.events.size());
}

void encode_events(benchmark::State& state) {
  const Trace trace = make_trace(static_cast<Shape>(state.range(0)));
  std::vector<Bytes> blocks;
  for (auto _ : state) blocks = encode(trace);
  report(state, trace, blocks);
}
BENCHMARK(encode_events)->ArgName("shape")->Arg(kLocal)->Arg(kScattered)->Arg(kLocalWithValues);

void decode_events(benchmark::State& state) {
  const Trace trace = make_trace(static_cast<Shape>(state.range(0)));
  const std::vector<Bytes> blocks = encode(trace);
  rvl::BlockOpener opener;
  rvl::EventDecoder decoder;
  Bytes raw;
  std::vector<Event> events;
  for (auto _ : state) {
    for (const Bytes& block : blocks) {
      const auto head = rvl::load_head(block.data());
      CHECK(head.has_value());
      CHECK(opener.open(*head, ByteSpan(block).subspan(rvl::kBlockHeadBytes), raw, rvl::kDecoderSlack)
                .has_value());
      CHECK(
          decoder
              .decode({raw.data(), head->raw_size}, head->events, head->first_position, trace.tables, events)
              .has_value());
      benchmark::DoNotOptimize(events.data());
    }
  }
  report(state, trace, blocks);
}
BENCHMARK(decode_events)->ArgName("shape")->Arg(kLocal)->Arg(kScattered)->Arg(kLocalWithValues);

}  // namespace
}  // namespace ravel

BENCHMARK_MAIN();

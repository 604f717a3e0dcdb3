// Random programs for the simulator. Shrink to fewer threads and operations.
#pragma once

#include <rapidcheck.h>

#include "unit/schedule/simulator.h"

namespace ravel {

inline std::string any_strategy() {
  return *rc::gen::element<std::string>("non-preemptive", "random", "round-robin");
}

/// Threads that read and write; every operation has a place of its own, from 1.
inline SimProgram any_lock_free_program() {
  SimProgram program;
  std::uint32_t place = 0;
  for (const std::size_t size :
       *rc::gen::container<std::vector<std::size_t>>(3, rc::gen::inRange<std::size_t>(1, 8))) {
    SimThread& thread = program.emplace_back();
    for (std::size_t i = 0; i < size; ++i) {
      const OperationKind kind =
          *rc::gen::element(OperationKind::Read, OperationKind::Write, OperationKind::Atomic);
      thread.push_back({.kind = kind, .place = ++place});
    }
  }
  return program;
}

/// Threads that also yield, sleep and take locks, in orders that may deadlock.
inline SimProgram any_program() {
  SimProgram program(*rc::gen::inRange<std::size_t>(1, 5));
  for (SimThread& thread : program) {
    const auto count = *rc::gen::inRange(0, 8);
    for (int i = 0; i < count; ++i) {
      const int lock = *rc::gen::inRange(0, 2);
      switch (*rc::gen::inRange(0, 5)) {
        case 0:
          thread.push_back({.kind = OperationKind::Write});
          break;
        case 1:
          thread.push_back({.kind = OperationKind::Yield});
          break;
        case 2:
          thread.push_back({.kind = OperationKind::Sleep, .time = *rc::gen::inRange<std::uint64_t>(1, 9)});
          break;
        case 3:
          thread.push_back({.kind = OperationKind::Lock, .object = lock});
          thread.push_back({.kind = OperationKind::Read});
          thread.push_back({.kind = OperationKind::Unlock, .object = lock});
          break;
        default:
          thread.push_back({.kind = OperationKind::Lock, .object = lock});
          thread.push_back({.kind = OperationKind::Lock, .object = 1 - lock});
          thread.push_back({.kind = OperationKind::Unlock, .object = 1 - lock});
          thread.push_back({.kind = OperationKind::Unlock, .object = lock});
      }
    }
    thread.push_back({.kind = OperationKind::Exit});
  }
  return program;
}

}  // namespace ravel

// Operation: a call of the program that synchronizes, or that may block.
//
// Every interceptor is one pair: before(op) when the program calls, after(op, ...) when the real function has
// done its work. Clients of the pair: the recorder (operation.cpp) and, in a controlled run, the token
// (token.h), where an operation that would block waits instead.
#pragma once

#include <cstdint>

#include "event/operation_kind.h"
#include "runtime/recorder.h"

namespace ravel::rt {

using ravel::OperationKind;

struct Operation {
  OperationKind kind;
  const void* object = nullptr;
  const void* lock = nullptr;
  std::uint64_t argument = 0;
  Pc pc = 0;
  bool limited = false;  ///< it waits for some time only
};

/// The program is about to do it. Null-safe: `self` is null while nothing is recorded.
void before(Thread* self, const Operation& operation);
/// It is done; `succeeded`: the lock was taken, the wait ended, the thread was joined...
void after(Thread* self, const Operation& operation, bool succeeded = true);
/// A lock could not be had at once: the thread is going to block.
void request(Thread* self, const Operation& operation);

}  // namespace ravel::rt

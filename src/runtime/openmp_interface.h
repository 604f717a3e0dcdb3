// What the runtime uses of OpenMP's tool interface (OpenMP 5.1, chapter 4; omp-tools.h of LLVM). It is a
// binary interface: the numbers and signatures are the standard's, the names are ours.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ravel::rt::omp {

/// A tool's own word for each parallel region and each task.
union Data {
  std::uint64_t value;
  void* pointer;
};
struct Frame;

enum class Event : int {
  ParallelBegin = 3,
  ParallelEnd = 4,
  TaskCreate = 5,
  TaskSchedule = 6,
  ImplicitTask = 7,
  SyncRegionWait = 16,
  MutexReleased = 17,
  Dependences = 18,
  SyncRegion = 23,
  MutexAcquire = 26,
  MutexAcquired = 27,
  Flush = 29,
  Reduction = 31,
};

enum class Endpoint : int { Begin = 1, End = 2, BeginEnd = 3 };

/// All others are barriers.
enum class SyncRegion : int { Taskwait = 5, Taskgroup = 6, Reduction = 7 };

enum class Mutex : int { TestLock = 2, TestNestLock = 4 };

enum class TaskStatus : int {
  Complete = 1,
  Yield = 2,
  Cancel = 3,
  Detach = 4,
  EarlyFulfill = 5,
  LateFulfill = 6,
  Switch = 7,
  TaskwaitComplete = 8,
};

inline constexpr int kTaskInitial = 1;
inline constexpr int kTaskTaskwait = 16;  ///< no task: a taskwait with dependences

enum class DependenceType : int {
  In = 1,
  Out = 2,
  Inout = 3,
  MutexInoutSet = 4,
  Source = 5,  ///< of a loop's iteration: ordered depend
  Sink = 6,
  InoutSet = 7,
  OutAllMemory = 34,
  InoutAllMemory = 35,
};

struct Dependence {
  Data variable;
  DependenceType type;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);
using SetCallback = int (*)(Event event, Function callback);
using GetTaskMemory = int (*)(void** address, std::size_t* bytes, int block);

struct Tool {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data data;
};

}  // namespace ravel::rt::omp

// Synchronization of OpenMP as its runtime tells of it (openmp_interface.h).
//
// What is ordered by it is recorded through objects of our own, as one byte each that one thread publishes
// and another observes. The interface calls before what lets others go on and after what has waited for them,
// with one exception: a mutex that was released (openmp_mutex.h).
#include "runtime/openmp.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/annotations.h"
#include "runtime/intercept.h"
#include "runtime/openmp_interface.h"
#include "runtime/openmp_mutex.h"
#include "runtime/openmp_wait.h"
#include "runtime/pool.h"
#include "runtime/token.h"

RAVEL_INTERFACE ravel::rt::omp::Tool* ompt_start_tool(unsigned version, const char* runtime);
/// The same function, whatever else has its name.
extern "C" __attribute__((visibility("hidden"), alias("ompt_start_tool"))) ravel::rt::omp::Tool*
ravel_start_tool(unsigned version, const char* runtime);

namespace ravel::rt {

constinit CodeRange openmp_code = {};

namespace {

using omp::Data;
using omp::DependenceType;
using omp::Endpoint;

/// The threads of a parallel region.
struct Team {
  Team* next;
  char begin;
  /// A thread may enter the next barrier before all have left this one, but not the one after it.
  char barriers[2];
};

struct Taskgroup {
  Taskgroup* next;
  Taskgroup* outer;
  std::uint32_t unfinished;  ///< tasks
  char tasks;                ///< that have ended
};

/// What dependences on one variable order: tasks that only read it, that write it, and those of `inoutset`,
/// which are not ordered among themselves.
struct Dependent {
  char in;
  char out;
  char set;
  std::uint32_t unfinished_in, unfinished_out, unfinished_set;  ///< tasks that have not ended
};

struct Link {
  Link* next;
  Dependent* on;
  DependenceType type;
};

struct Task {
  Task* next;
  Task* parent;  ///< null: an implicit task
  Team* team;
  Taskgroup* group;  ///< the innermost
  Link* dependences;
  std::uint32_t references;  ///< by itself and its children
  std::uint32_t unfinished;  ///< children
  unsigned barrier;          ///< which of the team's comes next
  bool has_begun;
  bool has_children;
  bool is_wait;   ///< a taskwait with dependences
  char way;       ///< from its creation, or where it was suspended, to where it goes on
  char children;  ///< that have ended
};

constinit Pool<Team> teams;
constinit Pool<Taskgroup> groups;
constinit Pool<Link> links;
constinit Pool<Task> tasks;

constinit omp::GetTaskMemory get_task_memory = nullptr;

Pc pc_of(const void* code) { return reinterpret_cast<Pc>(code); }
Task* task_of(const Data* data) { return data != nullptr ? static_cast<Task*>(data->pointer) : nullptr; }

void publish(const void* object, Pc pc = 0) { act(OperationKind::Publish, object, pc); }
void contribute(const void* object, Pc pc = 0) { act(OperationKind::Contribute, object, pc); }
void observe(const void* object, Pc pc = 0) { act(OperationKind::Observe, object, pc); }

void one_more(std::uint32_t& unfinished) { __atomic_add_fetch(&unfinished, 1, __ATOMIC_RELAXED); }
void one_less(std::uint32_t& unfinished) { __atomic_sub_fetch(&unfinished, 1, __ATOMIC_RELAXED); }
bool is_none(const std::uint32_t& unfinished) { return __atomic_load_n(&unfinished, __ATOMIC_RELAXED) == 0; }

// Parallel regions.

Team* make_team(Pc pc) {
  Team* const team = teams.take();
  publish(&team->begin, pc);
  for (const char& barrier : team->barriers) publish(&barrier, pc);
  return team;
}

void parallel_begin(Data* /*encountering*/, const omp::Frame* /*frame*/, Data* region, unsigned /*threads*/,
                    int /*flags*/, const void* code) {
  region->pointer = make_team(pc_of(code));
}

void parallel_end(Data* region, Data* /*encountering*/, int /*flags*/, const void* code) {
  auto* const team = static_cast<Team*>(region->pointer);
  if (team == nullptr) return;
  for (const char& barrier : team->barriers) observe(&barrier, pc_of(code));
  teams.give_back(team);
}

/// The task has ended, or a child of it.
void let_go(Task* task) {
  while (task != nullptr && __atomic_sub_fetch(&task->references, 1, __ATOMIC_ACQ_REL) == 0) {
    Task* const parent = task->parent;
    while (task->dependences != nullptr) {
      Link* const link = task->dependences;
      task->dependences = link->next;
      links.give_back(link);
    }
    tasks.give_back(task);
    task = parent;
  }
}

void implicit_task(Endpoint endpoint, Data* region, Data* data, unsigned /*threads*/, unsigned index,
                   int flags) {
  if (endpoint == Endpoint::End) {
    // LLVM's runtime is going to wait, without a call that anybody sees, until the team's other threads have
    // noticed that the region has ended.
    if (controlled && index == 0) let_others_look(0);
    let_go(task_of(data));
    data->pointer = nullptr;
    return;
  }
  // No parallel region begins for the initial task of a thread; its team stays.
  if ((flags & omp::kTaskInitial) != 0 && region->pointer == nullptr) region->pointer = make_team(0);
  Task* const task = tasks.take();
  task->team = static_cast<Team*>(region->pointer);
  task->references = 1;
  task->has_begun = true;
  data->pointer = task;
  observe(&task->team->begin);
}

void barrier(Task& task, Endpoint endpoint, bool in_region, Pc pc) {
  if (endpoint != Endpoint::End) {
    contribute(&task.team->barriers[task.barrier], pc);
    task.barrier ^= 1;
  }
  // At the end of a region a thread is told when it is about to begin another one.
  if (endpoint != Endpoint::Begin && in_region) observe(&task.team->barriers[task.barrier ^ 1], pc);
}

void taskgroup(Task& task, Endpoint endpoint, Pc pc) {
  if (endpoint != Endpoint::End) {
    Taskgroup* const group = groups.take();
    group->outer = task.group;
    task.group = group;
    publish(&group->tasks, pc);
  }
  if (endpoint != Endpoint::Begin && task.group != nullptr) {
    Taskgroup* const group = task.group;
    observe(&group->tasks, pc);
    task.group = group->outer;
    groups.give_back(group);
  }
}

void sync_region(omp::SyncRegion kind, Endpoint endpoint, Data* region, Data* data, const void* code) {
  Task* const task = task_of(data);
  if (task == nullptr) return;
  switch (kind) {
    case omp::SyncRegion::Taskwait:
      if (endpoint != Endpoint::Begin && task->has_children) observe(&task->children, pc_of(code));
      return;
    case omp::SyncRegion::Taskgroup:
      return taskgroup(*task, endpoint, pc_of(code));
    case omp::SyncRegion::Reduction:
      return;
  }
  barrier(*task, endpoint, region != nullptr, pc_of(code));
}

/// Tasks' reductions are done between the end of waiting for the group's tasks and the end of the group.
void sync_region_wait(omp::SyncRegion kind, Endpoint endpoint, Data* /*region*/, Data* data,
                      const void* code) {
  Task* const task = task_of(data);
  if (task == nullptr) return;
  if (kind == omp::SyncRegion::Taskwait && endpoint == Endpoint::Begin)
    omp::await_tasks([task] { return is_none(task->unfinished); }, code);
  if (kind != omp::SyncRegion::Taskgroup) return;
  if (endpoint == Endpoint::Begin && task->group != nullptr)
    omp::await_tasks([group = task->group] { return is_none(group->unfinished); }, code);
  if (endpoint == Endpoint::End && task->group != nullptr) observe(&task->group->tasks, pc_of(code));
}

/// The threads' parts of a reduction are put together in an order that only the OpenMP runtime knows.
void reduction(omp::SyncRegion /*kind*/, Endpoint endpoint, Data* /*region*/, Data* /*task*/,
               const void* /*code*/) {
  if (endpoint != Endpoint::BeginEnd) ignore_accesses(this_thread, endpoint == Endpoint::Begin);
}

// Dependences.

// Entries are shared by chance and never made new: either may hide a race, neither makes one up.
constexpr std::size_t kDependents = 1 << 14;
constinit Dependent dependents[kDependents] = {};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 32;
}

/// `scope`: the task or team within which the dependences hold.
Dependent* dependent(const void* scope, std::uint64_t key) {
  const std::uint64_t hash = mix(reinterpret_cast<std::uint64_t>(scope), key);
  return &dependents[mix(hash, 0) & (kDependents - 1)];
}

void depend(Task& task, std::uint64_t variable, DependenceType type) {
  Link* const link = links.take();
  link->on = dependent(task.parent, variable);
  link->type = type;
  link->next = task.dependences;
  task.dependences = link;
}

std::uint32_t& unfinished_like(const Link& link) {
  return link.type == DependenceType::In         ? link.on->unfinished_in
         : link.type == DependenceType::InoutSet ? link.on->unfinished_set
                                                 : link.on->unfinished_out;
}

/// Whether all tasks have ended that a taskwait with these dependences waits for.
bool are_fulfilled(const Link* link) {
  for (; link != nullptr; link = link->next) {
    const Dependent& on = *link->on;
    if (!is_none(on.unfinished_out)) return false;
    if (link->type != DependenceType::In && !is_none(on.unfinished_in)) return false;
    if (link->type != DependenceType::InoutSet && !is_none(on.unfinished_set)) return false;
  }
  return true;
}

/// An iteration of a loop (its number has several parts in nested loops) that has come so far, or that was
/// waited for.
void depend_on_iteration(const Task& task, const omp::Dependence* parts, int count) {
  std::uint64_t iteration = 0;
  for (int i = 0; i < count; ++i) iteration = mix(iteration, parts[i].variable.value);
  const char& out = dependent(task.team, iteration)->out;
  if (parts[0].type == DependenceType::Source)
    contribute(&out);
  else
    observe(&out);
}

void dependences(Data* data, const omp::Dependence* all, int count) {
  Task* const task = task_of(data);
  if (task == nullptr || count == 0) return;
  if (all[0].type == DependenceType::Source || all[0].type == DependenceType::Sink)
    return depend_on_iteration(*task, all, count);
  // omp_all_memory has no address: all tasks with dependences read it.
  constexpr std::uint64_t kAllMemory = 0;
  depend(*task, kAllMemory, DependenceType::In);
  for (int i = 0; i < count; ++i) {
    const bool on_all =
        all[i].type == DependenceType::OutAllMemory || all[i].type == DependenceType::InoutAllMemory;
    depend(*task, on_all ? kAllMemory : all[i].variable.value, on_all ? DependenceType::Out : all[i].type);
  }
  if (task->is_wait) return omp::await_tasks([task] { return are_fulfilled(task->dependences); }, nullptr);
  for (const Link* link = task->dependences; link != nullptr; link = link->next)
    one_more(unfinished_like(*link));
}

void observe_dependences(const Task& task) {
  for (const Link* link = task.dependences; link != nullptr; link = link->next) {
    observe(&link->on->out);
    if (link->type != DependenceType::In) observe(&link->on->in);
    if (link->type != DependenceType::InoutSet) observe(&link->on->set);
  }
}

void fulfil_dependences(const Task& task) {
  for (const Link* link = task.dependences; link != nullptr; link = link->next) {
    contribute(link->type == DependenceType::In         ? &link->on->in
               : link->type == DependenceType::InoutSet ? &link->on->set
                                                        : &link->on->out);
  }
}

// Explicit tasks.

void task_create(Data* encountering, const omp::Frame* /*frame*/, Data* data, int flags,
                 int /*has_dependences*/, const void* code) {
  Task* const parent = task_of(encountering);
  if (parent == nullptr) return;
  if (!parent->has_children) publish(&parent->children, pc_of(code));
  parent->has_children = true;
  __atomic_add_fetch(&parent->references, 1, __ATOMIC_RELAXED);
  Task* const task = tasks.take();
  task->parent = parent;
  task->team = parent->team;
  task->group = parent->group;
  task->barrier = parent->barrier;
  task->references = 1;
  task->is_wait = (flags & omp::kTaskTaskwait) != 0;
  data->pointer = task;
  publish(&task->way, pc_of(code));
  if (task->is_wait) return;
  one_more(parent->unfinished);
  if (task->group != nullptr) one_more(task->group->unfinished);
}

void suspend(const Task* task) {
  if (task != nullptr) contribute(&task->way);
}

void resume(Task* task) {
  if (task == nullptr) return;
  if (!task->has_begun) observe_dependences(*task);
  task->has_begun = true;
  observe(&task->way);
}

void complete(Task* task) {
  if (task == nullptr || task->parent == nullptr) return;
  observe(&task->way);  // an event that it had to wait for
  contribute(&task->team->barriers[task->barrier]);
  contribute(&task->parent->children);
  if (task->group != nullptr) contribute(&task->group->tasks);
  fulfil_dependences(*task);
  // From here to where the OpenMP runtime lets others know, the thread takes no step.
  for (const Link* link = task->dependences; link != nullptr; link = link->next)
    one_less(unfinished_like(*link));
  one_less(task->parent->unfinished);
  if (task->group != nullptr) one_less(task->group->unfinished);
  let_go(task);
}

/// The current task has done its work: its variables are in memory that the next task may get, on another
/// thread.
void forget_task_memory() {
  Thread* const self = acting_thread();
  void* memory = nullptr;
  std::size_t bytes = 0;
  if (self == nullptr || get_task_memory == nullptr) return;
  get_task_memory(&memory, &bytes, 0);
  if (bytes != 0) memory_begins(*self, reinterpret_cast<std::uintptr_t>(memory), bytes, 0);
}

void task_schedule(Data* prior, omp::TaskStatus status, Data* next) {
  Task* const task = task_of(prior);
  switch (status) {
    case omp::TaskStatus::Complete:
    case omp::TaskStatus::Cancel:
      forget_task_memory();
      return complete(task);
    case omp::TaskStatus::Detach:
      forget_task_memory();
      [[fallthrough]];
    case omp::TaskStatus::Yield:
    case omp::TaskStatus::Switch:
      suspend(task);
      return resume(task_of(next));
    case omp::TaskStatus::EarlyFulfill:
      return suspend(task);
    case omp::TaskStatus::LateFulfill:
      return complete(task);
    case omp::TaskStatus::TaskwaitComplete:
      if (task != nullptr) observe_dependences(*task);
      return let_go(task);
  }
}

void flush(Data* /*thread*/, const void* code) {
  if (Thread* const self = acting_thread(); self != nullptr)
    record_sync(*self, {.kind = EventKind::Fence, .order = MemoryOrder::SeqCst, .pc = pc_of(code)});
}

int initialize_tool(omp::Lookup lookup, int /*device*/, Data* /*tool*/) {
  const auto set = reinterpret_cast<omp::SetCallback>(lookup("ompt_set_callback"));
  get_task_memory = reinterpret_cast<omp::GetTaskMemory>(lookup("ompt_get_task_memory"));
  omp::find_functions(lookup);
  if (set == nullptr) return 0;
  const auto on = [set](omp::Event event, auto* callback) {
    set(event, reinterpret_cast<omp::Function>(callback));
  };
  on(omp::Event::ParallelBegin, parallel_begin);
  on(omp::Event::ParallelEnd, parallel_end);
  on(omp::Event::ImplicitTask, implicit_task);
  on(omp::Event::SyncRegion, sync_region);
  on(omp::Event::SyncRegionWait, sync_region_wait);
  on(omp::Event::Reduction, reduction);
  on(omp::Event::TaskCreate, task_create);
  on(omp::Event::TaskSchedule, task_schedule);
  on(omp::Event::Dependences, dependences);
  on(omp::Event::MutexAcquire, omp::mutex_acquire);
  on(omp::Event::MutexAcquired, omp::mutex_acquired);
  on(omp::Event::MutexReleased, omp::mutex_released);
  on(omp::Event::Flush, flush);
  return 1;
}

void finalize_tool(Data* /*tool*/) {}

}  // namespace

bool openmp_is_seen() {
  const char* const tools = getenv("OMP_TOOL");
  const bool enabled = tools == nullptr || tools[0] == '\0' || strcmp(tools, "enabled") == 0;
  return enabled && &ompt_start_tool == &ravel_start_tool;  // else the program has a tool of its own
}

void free_openmp_locks() {
  teams.free_lock();
  groups.free_lock();
  links.free_lock();
  tasks.free_lock();
  omp::free_mutexes();
}

}  // namespace ravel::rt

RAVEL_INTERFACE ravel::rt::omp::Tool* ompt_start_tool(unsigned /*version*/, const char* /*runtime*/) {
  static ravel::rt::omp::Tool tool = {ravel::rt::initialize_tool, ravel::rt::finalize_tool, {}};
  return ravel::rt::recorder.recording ? &tool : nullptr;
}

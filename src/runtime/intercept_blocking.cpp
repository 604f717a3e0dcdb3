// Calls that wait for something outside: a process, a lock on a file, a message. The recorder has
// no use for them; whoever schedules the threads must know.
#include <mqueue.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/intercept.h"
#include "runtime/run_time.h"

namespace ravel::rt {
namespace {

template <typename Call>
auto around(OperationKind kind, Pc pc, const void* object, Call real) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real();
  const Operation operation{.kind = kind, .object = object, .pc = pc};
  before(self, operation);
  const auto result = real();
  after(self, operation);
  return result;
}

/// The system's own functions know nothing of the time of a controlled run.
class WorldTime {
 public:
  explicit WorldTime(const timespec* until) : until_(until) {
    if (!controlled || until == nullptr || !is_time(until)) return;
    time_ = time_of_world(CLOCK_REALTIME, *until);
    until_ = &time_;
  }
  const timespec* get() const { return until_; }

 private:
  const timespec* until_;
  timespec time_{};
};

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

#define RAVEL_AROUND(kind, result, name, parameters, arguments)                                         \
  RAVEL_REAL_TYPED(name, result(*) parameters)                                                          \
  RAVEL_INTERFACE result intercept_##name parameters __asm__(#name);                                    \
  result intercept_##name parameters {                                                                  \
    return around(OperationKind::kind, RAVEL_CALLER, nullptr, [=] { return real_##name() arguments; }); \
  }

RAVEL_AROUND(Block, pid_t, wait, (int* status), (status))
RAVEL_AROUND(Block, pid_t, waitpid, (pid_t pid, int* status, int options), (pid, status, options))
RAVEL_AROUND(Block, pid_t, wait3, (int* status, int options, rusage* usage), (status, options, usage))
RAVEL_AROUND(Block, pid_t, wait4, (pid_t pid, int* status, int options, rusage* usage),
             (pid, status, options, usage))
RAVEL_AROUND(Block, int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options),
             (type, id, info, options))

RAVEL_AROUND(Block, int, flock, (int file, int operation), (file, operation))
RAVEL_AROUND(Block, int, lockf, (int file, int command, off_t bytes), (file, command, bytes))
RAVEL_AROUND(Block, ssize_t, msgrcv, (int queue, void* to, std::size_t n, long type, int flags),
             (queue, to, n, type, flags))
RAVEL_AROUND(Block, int, msgsnd, (int queue, const void* from, std::size_t n, int flags),
             (queue, from, n, flags))
RAVEL_AROUND(Block, ssize_t, mq_receive, (mqd_t queue, char* to, std::size_t n, unsigned* priority),
             (queue, to, n, priority))
RAVEL_AROUND(Block, ssize_t, mq_timedreceive,
             (mqd_t queue, char* to, std::size_t n, unsigned* priority, const timespec* until),
             (queue, to, n, priority, WorldTime(until).get()))
RAVEL_AROUND(Block, int, mq_send, (mqd_t queue, const char* from, std::size_t n, unsigned priority),
             (queue, from, n, priority))
RAVEL_AROUND(Block, int, mq_timedsend,
             (mqd_t queue, const char* from, std::size_t n, unsigned priority, const timespec* until),
             (queue, from, n, priority, WorldTime(until).get()))

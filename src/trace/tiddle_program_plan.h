// Plan of a Tiddle program: what the compiler must know about a trace before it writes code.
//
// Internal to the Tiddle compiler (tiddle_program.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "event/event.h"
#include "event/result.h"
#include "trace/tiddle_program.h"

namespace ravel {

/// Makes identifiers of C++ from names of a trace: legal, no keyword or macro, each once.
class Identifiers {
 public:
  Identifiers();
  /// `name` if possible, else something close to it.
  std::string take(std::string_view name, std::string_view suffix);

 private:
  std::set<std::string, std::less<>> taken_;
};

struct ProgramStep {
  Event event;
  std::uint64_t turn = 0;    ///< 0-based
  std::string text;          ///< in Tiddle
  bool within_wait = false;  ///< a release or acquire that the call of wait does
  bool waits_after = false;  ///< the thread blocks in wait when this step is done
};

struct ProgramVariable {
  std::string identifier;
  bool plain = false;
  bool atomic = false;
};

struct ProgramLock {
  std::string identifier;
  bool shared = false;
};

struct ProgramCondition {
  std::string identifier;
  std::optional<std::uint64_t>
      lock;  ///< that every wait on it releases; none: the waits have a mutex of their own
  std::string own_mutex;
};

struct ProgramBarrier {
  std::string identifier;
  std::string token;  ///< a thread's local variable for its arrival
  std::uint64_t size = 0;
};

struct ProgramThread {
  std::string function;
  std::string object;              ///< the std::thread; empty for the main thread
  std::string started;             ///< flag, if a thread other than the forker joins it
  std::optional<ThreadId> forker;  ///< none: started before the first turn
  std::optional<ThreadId> joiner;  ///< none: joined after the last turn
  std::vector<ProgramStep> steps;
};

struct ProgramPlan {
  std::uint64_t turns = 0;
  ThreadId main;                                       ///< first thread that nothing forks
  std::vector<ProgramThread> threads;                  ///< by ThreadId
  std::map<std::uint64_t, ProgramVariable> variables;  ///< by address, as the next three
  std::map<std::uint64_t, ProgramLock> locks;
  std::map<std::uint64_t, ProgramCondition> conditions;
  std::map<std::uint64_t, ProgramBarrier> barriers;
};

Result<ProgramPlan> plan_program(const ProgramSource& source);

}  // namespace ravel

#include "trace/tiddle_program.h"

#include <fmt/format.h>

#include <limits>

#include "trace/tiddle_program_plan.h"
#include "trace/tiddle_program_prelude.h"

namespace ravel {
namespace {

/// A string literal. '?' is escaped because of trigraphs.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?')
      result += fmt::format("\\{}", c);
    else if (byte < 0x20 || byte >= 0x7f)
      result += fmt::format("\\{:03o}", byte);
    else
      result += c;
  }
  return result + "\"";
}

std::string number(std::uint64_t value) {
  const auto number = static_cast<std::int64_t>(value);
  if (number == std::numeric_limits<std::int64_t>::min()) return fmt::format("{} - 1", number + 1);
  return std::to_string(number);
}

std::string order_argument(MemoryOrder order) {
  return fmt::format("std::memory_order_{}", order == MemoryOrder::None ? "seq_cst" : order_name(order));
}

/// Writes one trace as a namespace.
class Emitter {
 public:
  Emitter(const ProgramPlan& plan, const Tables& tables) : plan_(plan), tables_(tables) {}

  std::string emit(std::string_view space);

 private:
  void declare();
  void thread(const ProgramThread& thread);
  void step(const ProgramThread& thread, std::size_t index);
  void wait(const ProgramThread& thread, std::size_t index);
  void start(const ProgramThread& thread);
  void join(const ProgramThread& thread, std::string_view indent);
  void run();
  std::string operation(const ProgramStep& step);
  std::string access(const ProgramStep& step);

  const ProgramPlan& plan_;
  const Tables& tables_;
  std::string out_;
};

void Emitter::declare() {
  for (const auto& [address, variable] : plan_.variables)
    out_ += fmt::format("{} {}{{0}};\n", variable.plain ? "std::int64_t" : "std::atomic<std::int64_t>",
                        variable.identifier);
  for (const auto& [address, lock] : plan_.locks)
    out_ += fmt::format("std::{} {};\n", lock.shared ? "shared_mutex" : "mutex", lock.identifier);
  for (const auto& [address, condition] : plan_.conditions) {
    out_ += fmt::format("std::condition_variable {};\n", condition.identifier);
    if (!condition.lock) out_ += fmt::format("std::mutex {};\n", condition.own_mutex);
  }
  for (const auto& [address, barrier] : plan_.barriers)
    out_ += fmt::format("std::barrier<> {}({});\n", barrier.identifier, barrier.size);
  for (const ProgramThread& thread : plan_.threads) {
    if (!thread.object.empty()) out_ += fmt::format("std::thread {};\n", thread.object);
    if (!thread.started.empty()) out_ += fmt::format("bool {} = false;\n", thread.started);
  }
  for (const ProgramThread& thread : plan_.threads) out_ += fmt::format("void {}();\n", thread.function);
}

std::string Emitter::access(const ProgramStep& step) {
  const Event& event = step.event;
  const ProgramVariable& variable = plan_.variables.at(event.target);
  std::string object = variable.identifier;
  if (is_atomic(event.kind) && variable.plain)
    object = fmt::format("std::atomic_ref<std::int64_t>({})", object);
  if (event.kind == EventKind::Write)
    return fmt::format("{} = {};\n  lockstep::settle();", object, number(event.value));
  if (event.kind == EventKind::AtomicStore)
    return fmt::format("{}.store({}, {});", object, number(event.value), order_argument(event.order));
  if (event.kind == EventKind::AtomicRmw)
    return fmt::format("lockstep::use({}.exchange({}, {}));", object, number(event.value),
                       order_argument(event.order));
  std::string read = object;
  if (event.kind == EventKind::AtomicLoad) read += fmt::format(".load({})", order_argument(event.order));
  if (!event.has_value) return fmt::format("lockstep::use({});", read);
  return fmt::format(
      "{{\n    const std::int64_t seen = {};\n    lockstep::use(seen);\n"
      "    lockstep::expect(seen, {}, {});\n  }}",
      read, number(event.value), literal(step.text));
}

/// The statement of a step other than fork and join; empty if the step has none.
std::string Emitter::operation(const ProgramStep& step) {
  const Event& event = step.event;
  const auto call = [&](const auto& objects, std::string_view function) {
    return fmt::format("{}.{}();", objects.at(event.target).identifier, function);
  };
  const auto try_until_had = [&](std::string_view function) {
    return fmt::format("while (!{}.{}()) std::this_thread::yield();", plan_.locks.at(event.target).identifier,
                       function);
  };
  const auto mark = [&](std::string_view function) {
    const std::size_t index = event.unit().index();
    return fmt::format("lockstep::{}({});", function,
                       literal(index < tables_.units.size() ? tables_.units[index] : ""));
  };
  if (step.within_wait) return "";
  switch (event.kind) {
    case EventKind::Read:
    case EventKind::Write:
    case EventKind::AtomicLoad:
    case EventKind::AtomicStore:
    case EventKind::AtomicRmw:
      return access(step);
    case EventKind::Fence:
      return fmt::format("std::atomic_thread_fence({});", order_argument(event.order));
    case EventKind::Acquire:
      return event.would_wait() ? call(plan_.locks, "lock") : try_until_had("try_lock");
    case EventKind::Release:
      return call(plan_.locks, "unlock");
    case EventKind::AcquireShared:
      return event.would_wait() ? call(plan_.locks, "lock_shared") : try_until_had("try_lock_shared");
    case EventKind::ReleaseShared:
      return call(plan_.locks, "unlock_shared");
    case EventKind::Notify:
      return call(plan_.conditions, "notify_one");
    case EventKind::NotifyAll:
      return call(plan_.conditions, "notify_all");
    case EventKind::BarrierEnter: {
      const ProgramBarrier& barrier = plan_.barriers.at(event.target);
      return fmt::format("{}.emplace({}.arrive());", barrier.token, barrier.identifier);
    }
    case EventKind::BarrierExit: {
      const ProgramBarrier& barrier = plan_.barriers.at(event.target);
      return fmt::format("{}.wait(std::move(*{}));", barrier.identifier, barrier.token);
    }
    case EventKind::UnitBegin:
      return mark("unit_begin");
    case EventKind::UnitEnd:
      return mark("unit_end");
    case EventKind::Call:
      return mark("function_enter");
    case EventKind::Return:
      return mark("function_leave");
    // The wait itself comes after the turn of its beginning, since it blocks.
    case EventKind::WaitBegin:
    case EventKind::WaitEnd:
    case EventKind::Request:
    case EventKind::ThreadStart:
    case EventKind::ThreadExit:
    case EventKind::Block:
    case EventKind::Fork:
    case EventKind::Join:
      return "";
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::ObjectBegin:
    case EventKind::ObjectEnd:
    case EventKind::RetroRead:
    case EventKind::RetroWrite:
    case EventKind::Elapse:
    case EventKind::After:
    case EventKind::Split:
    case EventKind::Retire:
      break;
  }
  CHECK(false, "the plan lets no such operation through");
}

void Emitter::start(const ProgramThread& thread) {
  out_ += fmt::format("  {} = std::thread({});\n", thread.object, thread.function);
  if (!thread.started.empty()) out_ += fmt::format("  lockstep::raise({});\n", thread.started);
}

void Emitter::join(const ProgramThread& thread, std::string_view indent) {
  if (!thread.started.empty()) out_ += fmt::format("{}lockstep::await({});\n", indent, thread.started);
  out_ += fmt::format("{}{}.join();\n", indent, thread.object);
}

/// The thread blocks after its turn, or nobody else could act. A notify may come before it does: hence the
/// timeout.
void Emitter::wait(const ProgramThread& thread, std::size_t index) {
  // The last step before the block may be the release that follows the wait.
  const auto& steps = thread.steps;
  const std::size_t begin = steps[index].event.kind == EventKind::WaitBegin ? index : index - 1;
  const ProgramCondition& condition = plan_.conditions.at(steps[begin].event.target);
  const std::uint64_t until = index + 1 < steps.size() ? steps[index + 1].turn : plan_.turns;
  const std::string& mutex =
      condition.lock ? plan_.locks.at(*condition.lock).identifier : condition.own_mutex;
  out_ += fmt::format("  {{\n    std::unique_lock<std::mutex> held({}{});\n", mutex,
                      condition.lock ? ", std::adopt_lock" : "");
  out_ += fmt::format("    do {}.wait_for(held, lockstep::patience);\n    while (!lockstep::reached({}));\n",
                      condition.identifier, until);
  if (condition.lock) out_ += "    held.release();\n";
  out_ += "  }\n";
}

void Emitter::step(const ProgramThread& thread, std::size_t index) {
  const ProgramStep& step = thread.steps[index];
  out_ += fmt::format("  lockstep::turn({});\n", step.turn);
  if (step.event.kind == EventKind::Fork)
    start(plan_.threads[step.event.other_thread().index()]);
  else if (step.event.kind == EventKind::Join)
    join(plan_.threads[step.event.other_thread().index()], "  ");
  else if (const std::string code = operation(step); !code.empty())
    out_ += "  " + code + "\n";
  out_ += fmt::format("  lockstep::done({}, {});\n", step.turn, literal(step.text));
  if (step.waits_after) wait(thread, index);
}

void Emitter::thread(const ProgramThread& thread) {
  out_ += fmt::format("\nvoid {}() {{\n", thread.function);
  std::set<std::uint64_t> barriers;
  for (const ProgramStep& step : thread.steps)
    if (step.event.kind == EventKind::BarrierEnter && barriers.insert(step.event.target).second)
      out_ += fmt::format("  std::optional<std::barrier<>::arrival_token> {};\n",
                          plan_.barriers.at(step.event.target).token);
  for (std::size_t i = 0; i < thread.steps.size(); ++i) step(thread, i);
  out_ += "}\n";
}

void Emitter::run() {
  out_ += "\nvoid run() {\n  lockstep::begin();\n";
  if (plan_.main.valid()) {
    for (const ProgramThread& thread : plan_.threads)
      if (!thread.forker && !thread.object.empty()) start(thread);
    out_ += fmt::format("  {}();\n", plan_.threads[plan_.main.index()].function);
    out_ += fmt::format("  lockstep::turn({});\n", plan_.turns);
    for (const ProgramThread& thread : plan_.threads)
      if (!thread.joiner && !thread.object.empty()) join(thread, "  ");
  }
  out_ += "}\n";
}

std::string Emitter::emit(std::string_view space) {
  out_ = fmt::format("\nnamespace {} {{\n\n", space);
  declare();
  for (const ProgramThread& program_thread : plan_.threads) thread(program_thread);
  run();
  out_ += fmt::format("\n}}  // namespace {}\n", space);
  return std::move(out_);
}

std::string prelude(ProgramMode mode) {
  std::string text(kProgramHead);
  text += mode == ProgramMode::Deterministic ? kDeterministicTurns : kFreeTurns;
  switch (mode) {
    case ProgramMode::Deterministic:
      break;
    case ProgramMode::Free:
      text += kFreeTurn;
      break;
    case ProgramMode::Yield:
      text += kYieldTurn;
      break;
    case ProgramMode::Sleep:
      text += kSleepTurn;
      break;
  }
  return text += kTurnsEnd;
}

}  // namespace

Result<std::string> compile_tiddle(const ProgramSource& source, ProgramMode mode) {
  return compile_tiddle_many({&source, 1}, mode);
}

Result<std::string> compile_tiddle_many(std::span<const ProgramSource> sources, ProgramMode mode) {
  std::string program = prelude(mode);
  std::string calls;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto plan = plan_program(sources[i]);
    if (!plan) return std::unexpected(plan.error());
    const std::string space = fmt::format("trace_{}", i + 1);
    program += Emitter(*plan, sources[i].tables).emit(space);
    calls += fmt::format("  {}::run();\n", space);
  }
  program += "\nint main(int argc, char** argv) {\n";
  program += "  lockstep::printing = argc > 1 && std::string_view(argv[1]) == \"--print\";\n";
  return program + calls + "}\n";
}

}  // namespace ravel

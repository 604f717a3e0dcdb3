#include "runtime/init.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/access.h"
#include "runtime/annex.h"
#include "runtime/bias.h"
#include "runtime/intercept.h"
#include "runtime/openmp.h"
#include "runtime/options.h"
#include "runtime/order.h"
#include "runtime/processors.h"
#include "runtime/recorder.h"
#include "runtime/site.h"
#include "runtime/token.h"
#include "runtime/unit.h"

// The program may define them (sanitizer/tsan_interface.h).
extern "C" __attribute__((weak, visibility("default"))) void __tsan_on_initialize();
extern "C" __attribute__((weak, visibility("default"))) int __tsan_on_finalize(int failed);

namespace ravel::rt {
namespace {

constinit Options options;
constinit std::uint32_t initialized = 0;
constinit std::uint32_t instrumented = 0;

constexpr char kInstrumentedNote[] = "instrumented";

void note_word(const char* what, const char* text) {
  char buffer[16384];
  Text line(buffer, sizeof buffer);
  line.add(what).add(" ").word(text);
  if (!line.full()) recorder.stream.note(buffer, line.size());
}

/// The command line as the kernel keeps it: main()'s argv is not known here.
void note_command() {
  static char buffer[128 * 1024];  // not on a stack of unknown size; used once
  const long file =
      system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/cmdline"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::size_t size = 0;
  while (size < sizeof buffer - 1) {
    const long got = system_call(SYS_read, file, reinterpret_cast<long>(buffer + size),
                                 static_cast<long>(sizeof buffer - 1 - size));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  system_call(SYS_close, file);
  buffer[size] = '\0';
  for (std::size_t at = 0; at < size; at += strlen(buffer + at) + 1) note_word("argument", buffer + at);
}

void note_process() {
  note_command();
  char directory[4096];
  if (system_call(SYS_getcwd, reinterpret_cast<long>(directory), sizeof directory) > 0)
    note_word("directory", directory);
}

const char* program_name() {
  static char path[4096];
  const long length = system_call(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"),
                                  reinterpret_cast<long>(path), sizeof path - 1);
  if (length <= 0) return "program";
  path[length] = '\0';
  const char* const slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

/// A stream for this process and a state for the calling thread.
bool start_recording() {
  recorder.values = options.schedule[0] != '\0';
  // Accesses that are told late have lost their values.
  const ValueLevel exact = recorder.filter == FilterLevel::None ? ValueLevel::Exact : ValueLevel::Sampled;
  const StreamWriter::Levels levels{.filter = recorder.filter,
                                    .access_order = recorder.values ? AccessOrder::Exact : AccessOrder::Hook,
                                    .values = recorder.values ? exact : ValueLevel::None};
  if (!recorder.stream.create(options.record, program_name(), options.max_bytes, levels)) return false;
  recorder.told_atomic = false;
  forget_sites();
  forget_order();
  note_process();
  note_modules_again();
  note_units_again();
  if (is_instrumented()) recorder.stream.note(kInstrumentedNote, sizeof kInstrumentedNote - 1);
  recorder.recording = true;
  return true;
}

}  // namespace

void initialize() {
  if (__atomic_exchange_n(&initialized, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (!options.read(getenv("RAVEL_OPTIONS")) || options.record[0] == '\0') return;
  recorder.filter = options.filter;
  sees_accesses = options.filter != FilterLevel::All;
  // Also without a filter: the hooks look at a cell before they ask.
  if (!map_shadow() || !map_annexes() || !map_biases() || !map_shared_reads()) {
    complain(
        "cannot reserve the address space that recording needs (a limit on virtual memory?); "
        "the program runs on without being recorded");
    return;
  }
  if (!start_recording()) return;
  Thread* const self = make_thread(nullptr, false);
  if (self != nullptr) begin_thread(self);
  if (self != nullptr && options.schedule[0] != '\0' && !start_control(options.schedule))
    die("so the program is not run");
  // As early as possible: the first one's handler is the first to run in a child, and nothing of the child
  // must get into the parent's stream.
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  at_quick_exit(finish);  // and so the last to run
}

void note_instrumented() {
  if (__atomic_exchange_n(&instrumented, 1, __ATOMIC_ACQ_REL) != 0 || !recorder.recording) return;
  recorder.stream.note(kInstrumentedNote, sizeof kInstrumentedNote - 1);
}

bool is_instrumented() { return __atomic_load_n(&instrumented, __ATOMIC_ACQUIRE) != 0; }

// The child has copies of the runtime's locks as they were, perhaps taken by threads that it does not have.
// What they protect is usable at any time, so they are simply made new there.
void after_fork_in_child() {
  forget_own_thread_id();
  if (!recorder.recording) return;
  hot_thread = nullptr;  // what is done here is not the program's doing
  forget_atomic_turns();
  free_module_lock();
  free_openmp_locks();
  recorder.recording = false;
  hot_thread = nullptr;  // what the runtime itself calls is no access, and there is no stream
  recorder.stream.abandon();
  start_recording();
  restart_in_child();
  restart_control();
}

void finish() {
  if (!recorder.recording || !recorder.stream.is_open()) return;
  end_control();
  recorder.stream.stop(stream::Stop::Exit);
}

void before_exec() {
  use_all_processors();
  if (recorder.recording) recorder.stream.stop(stream::Stop::Exec);
}

void after_failed_exec() {
  use_one_processor_again();
  if (!recorder.stream.is_open()) return;
  auto expected = static_cast<std::uint32_t>(stream::Stop::Exec);
  recorder.stream.head().stop.compare_exchange_strong(expected, static_cast<std::uint32_t>(stream::Stop::No));
}

namespace {

// Before the constructors of the program's own modules: their hooks and locks count.
__attribute__((constructor(101))) void begin() {
  initialize();
  if (__tsan_on_initialize != nullptr) __tsan_on_initialize();
}

// After those of the program: what runs later is lost, and nothing else is.
__attribute__((destructor(101))) void end() {
  if (__tsan_on_finalize != nullptr) __tsan_on_finalize(0);
  finish();
}

}  // namespace
}  // namespace ravel::rt

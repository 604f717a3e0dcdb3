// Processes and libraries that come and go. Forks are noticed by handlers of pthread_atfork (init.cpp),
// whoever calls fork; here is what those do not see.
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/init.h"
#include "runtime/intercept.h"
#include "runtime/processors.h"

RAVEL_REAL(fork)
RAVEL_REAL(execve)
RAVEL_REAL(execvpe)
RAVEL_REAL(fexecve)
RAVEL_REAL_TYPED(execveat, int (*)(int, const char*, char* const*, char* const*, int))
RAVEL_REAL_TYPED(_exit, void (*)(int))
RAVEL_REAL(dlclose)
RAVEL_REAL(vfork)  // NOLINT(bugprone-unsafe-functions): the program's own choice
RAVEL_REAL(posix_spawn)
RAVEL_REAL(posix_spawnp)
RAVEL_REAL(system)
RAVEL_REAL(popen)
RAVEL_REAL(pclose)
RAVEL_REAL_TYPED(__cxa_atexit, int (*)(void (*)(void*), void*, void*))

namespace ravel::rt {
namespace {

template <typename Execute>
int replace_image(Execute execute) {
  before_exec();
  const int result = execute();
  after_failed_exec();
  return result;
}

/// Starts another program by `start()`, which shall have all processors.
template <typename Start>
auto start_program(Start start) {
  use_all_processors();
  const auto result = start();
  use_one_processor_again();
  return result;
}

/// The same, but waits for its end.
template <typename Run>
int run_program(Pc pc, Run run) {
  Thread* const self = acting_thread();
  if (self == nullptr) return run();
  const Operation operation{.kind = OperationKind::Block, .pc = pc};
  before(self, operation);
  const int result = start_program(run);
  after(self, operation);
  return result;
}

/// The words of execl and its like as an array.
#define RAVEL_COLLECT_WORDS(words, first, list)                                            \
  std::size_t count = 1;                                                                   \
  va_list list;                                                                            \
  va_start(list, first);                                                                   \
  while (va_arg(list, char*) != nullptr) ++count;                                          \
  va_end(list);                                                                            \
  auto** const words = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  words[0] = const_cast<char*>(first);                                                     \
  va_start(list, first);                                                                   \
  for (std::size_t i = 1; i <= count; ++i) words[i] = va_arg(list, char*);

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

/// A child that shares the parent's memory would share its stream, too: when there is one, the child gets a
/// copy, which POSIX allows.
extern "C" __attribute__((visibility("hidden"), used)) void* ravel_vfork_target() {
  return recorder.recording ? reinterpret_cast<void*>(real_fork()) : reinterpret_cast<void*>(real_vfork());
}
/// Returns twice, and the first time may write over its own frame: so it has none.
extern "C" __attribute__((visibility("default"), naked)) pid_t intercept_vfork() __asm__("vfork");
pid_t intercept_vfork() {
  asm("sub $8, %rsp\n\t"
      "call ravel_vfork_target\n\t"
      "add $8, %rsp\n\t"
      "jmp *%rax");
}

RAVEL_INTERCEPT(int, execve, const char* path, char* const* words, char* const* environment) {
  return replace_image([=] { return real_execve()(path, words, environment); });
}
RAVEL_INTERCEPT(int, execv, const char* path, char* const* words) {
  return replace_image([=] { return real_execve()(path, words, environ); });
}
RAVEL_INTERCEPT(int, execvp, const char* file, char* const* words) {
  return replace_image([=] { return real_execvpe()(file, words, environ); });
}
RAVEL_INTERCEPT(int, execvpe, const char* file, char* const* words, char* const* environment) {
  return replace_image([=] { return real_execvpe()(file, words, environment); });
}
RAVEL_INTERCEPT(int, fexecve, int file, char* const* words, char* const* environment) {
  return replace_image([=] { return real_fexecve()(file, words, environment); });
}
RAVEL_INTERCEPT(int, execveat, int directory, const char* path, char* const* words, char* const* environment,
                int flags) {
  return replace_image([=] { return real_execveat()(directory, path, words, environment, flags); });
}
RAVEL_INTERCEPT(int, execl, const char* path, const char* word, ...) {
  RAVEL_COLLECT_WORDS(words, word, list)
  va_end(list);
  return replace_image([=] { return real_execve()(path, words, environ); });
}
RAVEL_INTERCEPT(int, execlp, const char* file, const char* word, ...) {
  RAVEL_COLLECT_WORDS(words, word, list)
  va_end(list);
  return replace_image([=] { return real_execvpe()(file, words, environ); });
}
RAVEL_INTERCEPT(int, execle, const char* path, const char* word, ...) {
  RAVEL_COLLECT_WORDS(words, word, list)
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return replace_image([=] { return real_execve()(path, words, environment); });
}

RAVEL_INTERCEPT(int, posix_spawn, pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* words, char* const* environment) {
  return start_program(
      [=] { return real_posix_spawn()(child, path, actions, attributes, words, environment); });
}
RAVEL_INTERCEPT(int, posix_spawnp, pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* words, char* const* environment) {
  return start_program(
      [=] { return real_posix_spawnp()(child, file, actions, attributes, words, environment); });
}
RAVEL_INTERCEPT(FILE*, popen, const char* command, const char* mode) {
  return start_program([=] { return real_popen()(command, mode); });
}
RAVEL_INTERCEPT(int, pclose, FILE* file) {
  return run_program(RAVEL_CALLER, [=] { return real_pclose()(file); });
}
RAVEL_INTERCEPT(int, system, const char* command) {
  return run_program(RAVEL_CALLER, [=] { return real_system()(command); });
}

RAVEL_INTERCEPT(void, _exit, int status) {
  finish();
  real__exit()(status);
  __builtin_unreachable();
}
RAVEL_INTERCEPT(void, _Exit, int status) {
  finish();
  real__exit()(status);
  __builtin_unreachable();
}

namespace {

/// What exit does comes after every registration for it.
constinit char exit_order = 0;

void observe_registrations(void* /*nothing*/) {
  if (Thread* const self = acting_thread(); self != nullptr)
    after(self, {.kind = OperationKind::Observe, .object = &exit_order});
}

}  // namespace

/// Handlers run in the reverse order, so the one that is registered last observes first.
RAVEL_INTERCEPT(int, __cxa_atexit, void (*handler)(void*), void* argument, void* module) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real___cxa_atexit()(handler, argument, module);
  before(self, {.kind = OperationKind::Contribute, .object = &exit_order, .pc = RAVEL_CALLER});
  const int result = real___cxa_atexit()(handler, argument, module);
  if (result == 0) real___cxa_atexit()(observe_registrations, nullptr, module);
  return result;
}

// dlopen is not here: it looks for libraries where its caller's module says, so nothing must come between
// them. New modules are found when code of theirs first calls a hook.
RAVEL_INTERCEPT(int, dlclose, void* library) {
  const int result = real_dlclose()(library);
  if (Thread* const self = acting_thread(); self != nullptr) retire_modules(*self);
  return result;
}

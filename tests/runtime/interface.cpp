// The functions of the sanitizers' public headers and of the annotations do what they say.
// RECORDS Acquire 4
// RECORDS Release 4
// RECORDS AcquireShared 2
// RECORDS ReleaseShared 2
// RECORDS UnitBegin 2
// RECORDS UnitEnd 2
// NOTES unit 0 unit%20of%20work
// NOTES benign
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

#include <cstring>
#include <thread>

#include "expect.h"

extern "C" {
void ravel_unit_begin(const char*);
void ravel_unit_end(const char*);
void ravel_happens_before(const void*);
void ravel_happens_after(const void*);
void AnnotateHappensBefore(const char*, int, const volatile void*);
void AnnotateHappensAfter(const char*, int, const volatile void*);
void AnnotateBenignRaceSized(const char*, int, const volatile void*, std::size_t, const char*);
void AnnotateRWLockAcquired(const char*, int, const volatile void*, long);
void AnnotateRWLockReleased(const char*, int, const volatile void*, long);
void AnnotateIgnoreSyncBegin(const char*, int);
void AnnotateIgnoreSyncEnd(const char*, int);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateNewMemory(const char*, int, const volatile void*, std::size_t);
void AnnotateThreadName(const char*, int, const char*);

static int initialized = 0;
void __tsan_on_initialize() { ++initialized; }
}

namespace {

#define HERE __FILE__, __LINE__

int steps = 0;
void* main_fiber;
ucontext_t main_context;
ucontext_t fiber_context;

void fiber_body() {
  ++steps;
  __tsan_switch_to_fiber(main_fiber, 0);
  swapcontext(&fiber_context, &main_context);
  ++steps;
  __tsan_switch_to_fiber(main_fiber, 0);
  swapcontext(&fiber_context, &main_context);
}

void use_fibers() {
  static char stack[64 * 1024];
  main_fiber = __tsan_get_current_fiber();
  EXPECT(main_fiber != nullptr && main_fiber == __tsan_get_current_fiber());
  void* const fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "fiber");
  getcontext(&fiber_context);
  fiber_context.uc_stack.ss_sp = stack;
  fiber_context.uc_stack.ss_size = sizeof stack;
  makecontext(&fiber_context, fiber_body, 0);
  for (int i = 0; i < 2; ++i) {
    __tsan_switch_to_fiber(fiber, 0);
    swapcontext(&main_context, &fiber_context);
    ++steps;
  }
  __tsan_switch_to_fiber(fiber, __tsan_switch_to_fiber_no_sync);
  EXPECT(fiber == __tsan_get_current_fiber() || main_fiber == __tsan_get_current_fiber());
  __tsan_switch_to_fiber(main_fiber, __tsan_switch_to_fiber_no_sync);
  EXPECT(steps == 4 && main_fiber == __tsan_get_current_fiber());
  __tsan_destroy_fiber(fiber);
}

void use_mutex() {
  int mutex = 0;
  __tsan_mutex_create(&mutex, 0);
  __tsan_mutex_pre_lock(&mutex, 0);
  __tsan_mutex_post_lock(&mutex, 0, 0);
  __tsan_mutex_pre_unlock(&mutex, 0);
  __tsan_mutex_post_unlock(&mutex, 0);
  // Refused.
  __tsan_mutex_pre_lock(&mutex, __tsan_mutex_try_lock);
  __tsan_mutex_post_lock(&mutex, __tsan_mutex_try_lock | __tsan_mutex_try_lock_failed, 0);
  // As a reader.
  __tsan_mutex_pre_lock(&mutex, __tsan_mutex_read_lock);
  __tsan_mutex_post_lock(&mutex, __tsan_mutex_read_lock, 0);
  __tsan_mutex_pre_unlock(&mutex, __tsan_mutex_read_lock);
  __tsan_mutex_post_unlock(&mutex, __tsan_mutex_read_lock);
  // Twice, given back at once, and taken back.
  for (int i = 0; i < 2; ++i) {
    __tsan_mutex_pre_lock(&mutex, __tsan_mutex_write_reentrant);
    __tsan_mutex_post_lock(&mutex, __tsan_mutex_write_reentrant, 0);
  }
  const int depth = __tsan_mutex_pre_unlock(&mutex, __tsan_mutex_recursive_unlock);
  __tsan_mutex_post_unlock(&mutex, __tsan_mutex_recursive_unlock);
  __tsan_mutex_pre_lock(&mutex, __tsan_mutex_recursive_lock);
  __tsan_mutex_post_lock(&mutex, __tsan_mutex_recursive_lock, depth);
  for (int i = 0; i < 2; ++i) {
    __tsan_mutex_pre_unlock(&mutex, 0);
    __tsan_mutex_post_unlock(&mutex, 0);
  }
  __tsan_mutex_pre_signal(&mutex, 0);
  __tsan_mutex_pre_divert(&mutex, 0);
  __tsan_mutex_post_divert(&mutex, 0);
  __tsan_mutex_post_signal(&mutex, 0);
  __tsan_mutex_destroy(&mutex, 0);
}

void use_annotations() {
  int lock = 0;
  int data = 0;
  AnnotateRWLockAcquired(HERE, &lock, 1);
  AnnotateRWLockReleased(HERE, &lock, 1);
  AnnotateRWLockAcquired(HERE, &lock, 0);
  AnnotateRWLockReleased(HERE, &lock, 0);
  AnnotateIgnoreSyncBegin(HERE);
  AnnotateRWLockAcquired(HERE, &lock, 1);
  AnnotateRWLockReleased(HERE, &lock, 1);
  AnnotateIgnoreSyncEnd(HERE);
  std::thread writer([&] {
    data = 1;
    AnnotateHappensBefore(HERE, &data);
    ravel_happens_before(&lock);
    __tsan_release(&data);
  });
  writer.join();
  AnnotateHappensAfter(HERE, &data);
  ravel_happens_after(&lock);
  __tsan_acquire(&data);
  AnnotateIgnoreReadsBegin(HERE);
  EXPECT(data == 1);
  AnnotateIgnoreReadsEnd(HERE);
  AnnotateBenignRaceSized(HERE, &data, sizeof data, "a counter");
  AnnotateNewMemory(HERE, &data, sizeof data);
  AnnotateThreadName(HERE, "annotated");
  for (int i = 0; i < 2; ++i) {
    ravel_unit_begin("unit of work");
    ravel_unit_end("unit of work");
  }
}

void use_common() {
  char memory[16] = {};
  __sanitizer_unaligned_store64(memory + 1, 0x0102030405060708);
  EXPECT(__sanitizer_unaligned_load64(memory + 1) == 0x0102030405060708);
  EXPECT(__sanitizer_unaligned_load16(memory + 1) == 0x0708);
  EXPECT(__sanitizer_unaligned_load32(memory + 1) == 0x05060708);
  __sanitizer_unaligned_store16(memory, 1);
  __sanitizer_unaligned_store32(memory, 1);
  EXPECT(__sanitizer_acquire_crash_state() == 1 && __sanitizer_acquire_crash_state() == 0);
  char text[256];
  __sanitizer_symbolize_pc(reinterpret_cast<void*>(&std::abort), "%f %%", text, sizeof text);
  EXPECT(strcmp(text, "abort %") == 0);
  void* offset = nullptr;
  EXPECT(__sanitizer_get_module_and_offset_for_pc(reinterpret_cast<void*>(&use_common), text, sizeof text,
                                                  &offset) == 1 &&
         offset != nullptr);
  __sanitizer_set_report_path("somewhere");
  EXPECT(strcmp(__sanitizer_get_report_path(), "somewhere") == 0);
  __sanitizer_print_stack_trace();
  int object = 0;
  void* const tag = __tsan_external_register_tag("Object");
  __tsan_external_register_header(tag, "race of Object");
  __tsan_external_assign_tag(&object, tag);
  __tsan_external_read(&object, __builtin_return_address(0), tag);
  __tsan_external_write(&object, __builtin_return_address(0), tag);
  __tsan_flush_memory();
}

}  // namespace

int main() {
  EXPECT(initialized == 1);
  use_fibers();
  use_mutex();
  use_annotations();
  use_common();
  std::puts("done");
}

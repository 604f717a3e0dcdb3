// Annotations in the program's source: ravel's own, and the dynamic annotations that the sanitizers' users
// have known for longer. Those that ThreadSanitizer takes and does nothing about do nothing here either.
#include "runtime/annotations.h"

#include "runtime/intercept.h"

namespace ravel::rt {

void ignore_accesses(Thread* self, bool on) {
  if (self == nullptr) return;
  if (on)
    ++self->quiet;
  else if (self->quiet > 0)
    --self->quiet;
  hot_thread = self->quiet == 0 ? self : nullptr;
}

void ignore_synchronization(Thread* self, bool on) {
  if (self == nullptr) return;
  if (on)
    ++self->ignoring_sync;
  else if (self->ignoring_sync > 0)
    --self->ignoring_sync;
}

namespace {

/// Races on these bytes are known and accepted.
void note_benign(const volatile void* memory, std::size_t bytes, const char* text) {
  Thread* const self = acting_thread();
  if (self == nullptr) return;
  const Inside inside(*self);
  char buffer[4096];
  Text line(buffer, sizeof buffer);
  line.add("benign ").number(reinterpret_cast<std::uintptr_t>(memory), 16).add(" ").number(bytes, 16);
  line.add(" ").word(text != nullptr ? text : "");
  recorder.stream.note(buffer, line.size());
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERFACE void ravel_happens_before(const void* object) {
  act(OperationKind::Contribute, object, RAVEL_CALLER);
}
RAVEL_INTERFACE void ravel_happens_after(const void* object) {
  act(OperationKind::Observe, object, RAVEL_CALLER);
}

// All begin with the file and the line that they are at.
#define RAVEL_ANNOTATION(name, ...) \
  RAVEL_INTERFACE void name(const char* /*file*/, int /*line*/ __VA_OPT__(, ) __VA_ARGS__)

RAVEL_ANNOTATION(AnnotateHappensBefore, const volatile void* object) {
  act(OperationKind::Contribute, object, RAVEL_CALLER);
}
RAVEL_ANNOTATION(AnnotateHappensAfter, const volatile void* object) {
  act(OperationKind::Observe, object, RAVEL_CALLER);
}
RAVEL_ANNOTATION(WTFAnnotateHappensBefore, const volatile void* object) {
  act(OperationKind::Contribute, object, RAVEL_CALLER);
}
RAVEL_ANNOTATION(WTFAnnotateHappensAfter, const volatile void* object) {
  act(OperationKind::Observe, object, RAVEL_CALLER);
}
RAVEL_ANNOTATION(AnnotateRWLockAcquired, const volatile void* lock, long writer) {
  act(writer != 0 ? OperationKind::Lock : OperationKind::LockShared, lock, RAVEL_CALLER);
}
RAVEL_ANNOTATION(AnnotateRWLockReleased, const volatile void* lock, long writer) {
  act(writer != 0 ? OperationKind::Unlock : OperationKind::UnlockShared, lock, RAVEL_CALLER);
}
RAVEL_ANNOTATION(AnnotateNewMemory, const volatile void* memory, std::size_t bytes) {
  if (Thread* const self = acting_thread(); self != nullptr)
    memory_begins(*self, reinterpret_cast<std::uintptr_t>(memory), bytes, RAVEL_CALLER);
}
RAVEL_ANNOTATION(AnnotateIgnoreReadsBegin) { ignore_accesses(this_thread, true); }
RAVEL_ANNOTATION(AnnotateIgnoreReadsEnd) { ignore_accesses(this_thread, false); }
RAVEL_ANNOTATION(AnnotateIgnoreWritesBegin) { ignore_accesses(this_thread, true); }
RAVEL_ANNOTATION(AnnotateIgnoreWritesEnd) { ignore_accesses(this_thread, false); }
RAVEL_ANNOTATION(AnnotateIgnoreSyncBegin) { ignore_synchronization(this_thread, true); }
RAVEL_ANNOTATION(AnnotateIgnoreSyncEnd) { ignore_synchronization(this_thread, false); }
RAVEL_ANNOTATION(AnnotateBenignRace, const volatile void* memory, const char* text) {
  note_benign(memory, 1, text);
}
RAVEL_ANNOTATION(AnnotateBenignRaceSized, const volatile void* memory, std::size_t bytes, const char* text) {
  note_benign(memory, bytes, text);
}
RAVEL_ANNOTATION(WTFAnnotateBenignRaceSized, const volatile void* memory, std::size_t bytes,
                 const char* text) {
  note_benign(memory, bytes, text);
}
RAVEL_ANNOTATION(AnnotateThreadName, const char* name) {
  if (Thread* const self = acting_thread(); self != nullptr) name_thread(*self->slot, name);
}
RAVEL_INTERFACE int RunningOnValgrind() { return 0; }
RAVEL_INTERFACE double ValgrindSlowdown() { return 10.0; }

RAVEL_ANNOTATION(AnnotateRWLockCreate, const volatile void* /*lock*/) {}
RAVEL_ANNOTATION(AnnotateRWLockCreateStatic, const volatile void* /*lock*/) {}
RAVEL_ANNOTATION(AnnotateRWLockDestroy, const volatile void* /*lock*/) {}
RAVEL_ANNOTATION(AnnotateCondVarSignal, const volatile void* /*condition*/) {}
RAVEL_ANNOTATION(AnnotateCondVarSignalAll, const volatile void* /*condition*/) {}
RAVEL_ANNOTATION(AnnotateCondVarWait, const volatile void* /*condition*/, const volatile void* /*lock*/) {}
RAVEL_ANNOTATION(AnnotateMutexIsNotPHB, const volatile void* /*mutex*/) {}
RAVEL_ANNOTATION(AnnotateMutexIsUsedAsCondVar, const volatile void* /*mutex*/) {}
RAVEL_ANNOTATION(AnnotateTraceMemory, const volatile void* /*memory*/) {}
RAVEL_ANNOTATION(AnnotateFlushState) {}
RAVEL_ANNOTATION(AnnotateNoOp, const volatile void* /*memory*/) {}
RAVEL_ANNOTATION(AnnotateFlushExpectedRaces) {}
RAVEL_ANNOTATION(AnnotateEnableRaceDetection, int /*on*/) {}
RAVEL_ANNOTATION(AnnotateExpectRace, const volatile void* /*memory*/, const char* /*text*/) {}
RAVEL_ANNOTATION(AnnotatePublishMemoryRange, const volatile void* /*memory*/, std::size_t /*bytes*/) {}
RAVEL_ANNOTATION(AnnotateUnpublishMemoryRange, const volatile void* /*memory*/, std::size_t /*bytes*/) {}
RAVEL_ANNOTATION(AnnotateMemoryIsInitialized, const volatile void* /*memory*/, std::size_t /*bytes*/) {}
RAVEL_ANNOTATION(AnnotateMemoryIsUninitialized, const volatile void* /*memory*/, std::size_t /*bytes*/) {}
RAVEL_ANNOTATION(AnnotatePCQCreate, const volatile void* /*queue*/) {}
RAVEL_ANNOTATION(AnnotatePCQDestroy, const volatile void* /*queue*/) {}
RAVEL_ANNOTATION(AnnotatePCQPut, const volatile void* /*queue*/) {}
RAVEL_ANNOTATION(AnnotatePCQGet, const volatile void* /*queue*/) {}

// The compilers' calls for plain accesses and for function entry and exit (interface of ThreadSanitizer, g++
// 12 and clang 14 to 19). Atomic ones are in hooks_atomic.cpp.
#include "runtime/access.h"
#include "runtime/init.h"

namespace ravel::rt {
namespace {

template <unsigned kKind>
RAVEL_INLINE void access_any(const void* memory, std::size_t bytes, Pc pc) {
  Thread* const self = hot_thread;
  if (self == nullptr || bytes == 0) return;
  ++self->ordinal;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes <= 8 && are_repeated(*self, address, bytes, kKind)) return;
  access_bytes<kKind>(*self, address, bytes, pc);
}

/// Calls that were left without a return (longjmp) lie below the stack pointer.
RAVEL_NOINLINE void drop_dead_calls(Thread& self, std::uintptr_t stack) {
  while (self.depth > self.floor &&
         (self.depth > Thread::kMaxCalls || self.calls[self.depth - 1].stack <= stack))
    --self.depth;
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

#define PC reinterpret_cast<Pc>(__builtin_return_address(0))

RAVEL_INTERFACE void __tsan_init() {
  initialize();
  note_instrumented();
}

#define RAVEL_ACCESS(bytes)                                                                                  \
  RAVEL_INTERFACE void __tsan_read##bytes(void* p) { access<bytes, kReadWord>(p, PC); }                      \
  RAVEL_INTERFACE void __tsan_write##bytes(void* p) { access<bytes, kWriteWord>(p, PC); }                    \
  RAVEL_INTERFACE void __tsan_read##bytes##_pc(void* p, void* pc) { access<bytes, kReadWord>(p, (Pc)pc); }   \
  RAVEL_INTERFACE void __tsan_write##bytes##_pc(void* p, void* pc) { access<bytes, kWriteWord>(p, (Pc)pc); } \
  RAVEL_INTERFACE void __tsan_volatile_read##bytes(void* p) { access<bytes, kReadWord>(p, PC); }             \
  RAVEL_INTERFACE void __tsan_volatile_write##bytes(void* p) { access<bytes, kWriteWord>(p, PC); }           \
  RAVEL_INTERFACE void __tsan_unaligned_volatile_read##bytes(void* p) { access<bytes, kReadWord>(p, PC); }   \
  RAVEL_INTERFACE void __tsan_unaligned_volatile_write##bytes(void* p) { access<bytes, kWriteWord>(p, PC); } \
  RAVEL_INTERFACE void __tsan_unaligned_read##bytes(void* p) { access<bytes, kReadWord>(p, PC); }            \
  RAVEL_INTERFACE void __tsan_unaligned_write##bytes(void* p) { access<bytes, kWriteWord>(p, PC); }          \
  RAVEL_INTERFACE void __tsan_read_write##bytes(void* p) {                                                   \
    access<bytes, kReadWord>(p, PC);                                                                         \
    access<bytes, kWriteWord>(p, PC);                                                                        \
  }                                                                                                          \
  RAVEL_INTERFACE void __tsan_unaligned_read_write##bytes(void* p) {                                         \
    access<bytes, kReadWord>(p, PC);                                                                         \
    access<bytes, kWriteWord>(p, PC);                                                                        \
  }
RAVEL_ACCESS(1)
RAVEL_ACCESS(2)
RAVEL_ACCESS(4)
RAVEL_ACCESS(8)

#define RAVEL_ACCESS_16(name, ...) \
  RAVEL_INTERFACE void __tsan_##name##16(void* p) { __VA_ARGS__ }
#define READ_16 access_any<kReadWord>(p, 16, PC);
#define WRITE_16 access_any<kWriteWord>(p, 16, PC);
RAVEL_ACCESS_16(read, READ_16)
RAVEL_ACCESS_16(write, WRITE_16)
RAVEL_ACCESS_16(volatile_read, READ_16)
RAVEL_ACCESS_16(volatile_write, WRITE_16)
RAVEL_ACCESS_16(unaligned_read, READ_16)
RAVEL_ACCESS_16(unaligned_write, WRITE_16)
RAVEL_ACCESS_16(unaligned_volatile_read, READ_16)
RAVEL_ACCESS_16(unaligned_volatile_write, WRITE_16)
RAVEL_ACCESS_16(read_write, READ_16 WRITE_16)
RAVEL_ACCESS_16(unaligned_read_write, READ_16 WRITE_16)
RAVEL_INTERFACE void __tsan_read16_pc(void* p, void* pc) {
  access_any<kReadWord>(p, 16, reinterpret_cast<Pc>(pc));
}
RAVEL_INTERFACE void __tsan_write16_pc(void* p, void* pc) {
  access_any<kWriteWord>(p, 16, reinterpret_cast<Pc>(pc));
}

RAVEL_INTERFACE void __tsan_read_range(void* p, unsigned long bytes) { access_any<kReadWord>(p, bytes, PC); }
RAVEL_INTERFACE void __tsan_write_range(void* p, unsigned long bytes) {
  access_any<kWriteWord>(p, bytes, PC);
}
RAVEL_INTERFACE void __tsan_read_range_pc(void* p, unsigned long bytes, void* pc) {
  access_any<kReadWord>(p, bytes, reinterpret_cast<Pc>(pc));
}
RAVEL_INTERFACE void __tsan_write_range_pc(void* p, unsigned long bytes, void* pc) {
  access_any<kWriteWord>(p, bytes, reinterpret_cast<Pc>(pc));
}

RAVEL_INTERFACE void __tsan_vptr_read(void** p) { access<8, kReadWord>(static_cast<void*>(p), PC); }
/// A constructor or destructor sets the pointer to its own table: no write if it is there already, as in a
/// destructor of a class that nobody derived from.
RAVEL_INTERFACE void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) access<8, kWriteWord>(static_cast<void*>(p), PC);
}

RAVEL_INTERFACE void __tsan_func_entry(void* call) {
  Thread* const self = hot_thread;
  if (self == nullptr) return;
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  std::uint32_t depth = self->depth;
  if (depth > self->floor && (depth >= Thread::kMaxCalls || self->calls[depth - 1].stack <= stack))
      [[unlikely]] {
    if (depth < Thread::kMaxCalls) drop_dead_calls(*self, stack);
    depth = self->depth;
  }
  if (depth < Thread::kMaxCalls) [[likely]]
    self->calls[depth] = {reinterpret_cast<std::uintptr_t>(call), stack, 0, false};
  self->depth = depth + 1;
}

RAVEL_INTERFACE void __tsan_func_exit() {
  Thread* const self = hot_thread;
  if (self != nullptr && self->depth > self->floor) --self->depth;
}
RAVEL_INTERFACE void __tsan_ignore_thread_begin() {
  if (Thread* const self = this_thread; self != nullptr && self->quiet++ == 0) hot_thread = nullptr;
}
RAVEL_INTERFACE void __tsan_ignore_thread_end() {
  Thread* const self = this_thread;
  if (self == nullptr || self->quiet == 0) return;
  --self->quiet;
  switch_hooks(*self);
}

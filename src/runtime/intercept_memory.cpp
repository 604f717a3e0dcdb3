// The heap and mappings. Blocks come from glibc's allocator by its own names for it: they work before symbols
// can be looked up, and whichever allocator the program is linked with.
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/intercept.h"
#include "runtime/memory_hooks.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* __libc_valloc(std::size_t);
void* __libc_pvalloc(std::size_t);
void __libc_free(void*);
}

RAVEL_REAL(mmap)
RAVEL_REAL(munmap)
RAVEL_REAL(mremap)

namespace ravel::rt {
namespace {

/// Where operator new or delete was called, for the malloc or free that it will call.
__thread Pc operator_caller __attribute__((tls_model("initial-exec"))) = 0;

/// The word before a block is its size with three flags; the second one says that it has a mapping of its
/// own, and then the word before that is not its user's.
std::size_t usable_bytes(const void* block) {
  const std::uint64_t word = static_cast<const std::uint64_t*>(block)[-1];
  constexpr std::uint64_t kFlags = 7;
  constexpr std::uint64_t kMapped = 2;
  return (word & ~kFlags) - ((word & kMapped) != 0 ? 16 : 8);
}

/// As acting_thread, but what happens to memory that the program does not synchronize with is no hook.
RAVEL_INLINE Thread* owning_thread() {
  Thread* self = this_thread;
  if (self == nullptr) {
    if (!recorder.recording) return nullptr;
    self = current_thread();
    if (self == nullptr) return nullptr;
  }
  return self->inside == 0 && recorder.recording && sees_accesses ? self : nullptr;
}

Pc take_caller(Pc pc) {
  const Pc caller = operator_caller;
  if (caller == 0) return pc;
  operator_caller = 0;
  return caller;
}

RAVEL_NOINLINE void begin_block(Thread& self, void* block, Pc pc) {
  pc = take_caller(pc);
  if (block == nullptr) return;
  block_begins(self, reinterpret_cast<std::uintptr_t>(block), usable_bytes(block), pc);
}

RAVEL_NOINLINE void end_block(Thread& self, void* block, Pc pc) {
  pc = take_caller(pc);
  if (block == nullptr) return;
  memory_ends(self, reinterpret_cast<std::uintptr_t>(block), usable_bytes(block), pc);
}

// The program's own hooks come when a block is there, and while it still is.
RAVEL_NOINLINE void call_malloc_hooks(const void* block) {
  for (int i = 0; i < memory_hooks.count; ++i) memory_hooks.on_malloc[i](block, usable_bytes(block));
}
RAVEL_NOINLINE void call_free_hooks(const void* block) {
  for (int i = 0; i < memory_hooks.count; ++i) memory_hooks.on_free[i](block);
}

RAVEL_INLINE void* begins(void* block, Pc pc) {
  if (memory_hooks.count != 0 && block != nullptr) [[unlikely]]
    call_malloc_hooks(block);
  if (Thread* const self = owning_thread(); self != nullptr) begin_block(*self, block, pc);
  return block;
}

void* reallocate(void* block, std::size_t bytes, Pc pc) {
  Thread* const self = owning_thread();
  if (self == nullptr) return __libc_realloc(block, bytes);
  if (block == nullptr) return begins(__libc_realloc(nullptr, bytes), pc);
  // Before: another thread may have the old block as soon as it is free.
  end_block(*self, block, pc);
  void* const moved = __libc_realloc(block, bytes);
  if (moved != nullptr)
    begin_block(*self, moved, pc);
  else if (bytes != 0)
    begin_block(*self, block, pc);  // failed: the old block is still there
  return moved;
}

bool is_power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

void* map(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset, Pc pc) {
  void* const mapped = real_mmap()(at, bytes, protection, flags, file, offset);
  if (mapped == MAP_FAILED) return mapped;
  if (Thread* const self = owning_thread(); self != nullptr)
    memory_begins(*self, reinterpret_cast<std::uintptr_t>(mapped), whole_pages(bytes), pc);
  return mapped;
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(void*, malloc, std::size_t bytes) { return begins(__libc_malloc(bytes), RAVEL_CALLER); }
RAVEL_INTERCEPT(void*, calloc, std::size_t count, std::size_t bytes) {
  return begins(__libc_calloc(count, bytes), RAVEL_CALLER);
}
RAVEL_INTERCEPT(void*, realloc, void* block, std::size_t bytes) {
  return reallocate(block, bytes, RAVEL_CALLER);
}
RAVEL_INTERCEPT(void*, reallocarray, void* block, std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocate(block, all, RAVEL_CALLER);
}
RAVEL_INTERCEPT(void*, memalign, std::size_t alignment, std::size_t bytes) {
  return begins(__libc_memalign(alignment, bytes), RAVEL_CALLER);
}
RAVEL_INTERCEPT(void*, aligned_alloc, std::size_t alignment, std::size_t bytes) {
  return begins(__libc_memalign(alignment, bytes), RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, posix_memalign, void** block, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || !is_power_of_two(alignment / sizeof(void*))) return EINVAL;
  void* const got = begins(__libc_memalign(alignment, bytes), RAVEL_CALLER);
  if (got == nullptr) return ENOMEM;
  *block = got;
  return 0;
}
RAVEL_INTERCEPT(void*, valloc, std::size_t bytes) { return begins(__libc_valloc(bytes), RAVEL_CALLER); }
RAVEL_INTERCEPT(void*, pvalloc, std::size_t bytes) { return begins(__libc_pvalloc(bytes), RAVEL_CALLER); }

RAVEL_INTERCEPT(void, free, void* block) {
  if (memory_hooks.count != 0 && block != nullptr) [[unlikely]]
    call_free_hooks(block);
  if (Thread* const self = owning_thread(); self != nullptr) end_block(*self, block, RAVEL_CALLER);
  __libc_free(block);
}
RAVEL_INTERCEPT(void, cfree, void* block) {
  if (Thread* const self = owning_thread(); self != nullptr) end_block(*self, block, RAVEL_CALLER);
  __libc_free(block);
}

RAVEL_INTERCEPT(std::size_t, malloc_usable_size, void* block) {
  return block == nullptr ? 0 : usable_bytes(block);
}

// The operators are the C++ library's, or the program's own; here they only leave word who called them,
// because malloc's caller would be the operator itself.
#define RAVEL_OPERATOR(result, name, parameters, arguments)     \
  RAVEL_REAL_TYPED(name, result(*) parameters)                  \
  RAVEL_INTERFACE result name parameters {                      \
    if (this_thread != nullptr) operator_caller = RAVEL_CALLER; \
    return real_##name() arguments;                             \
  }
RAVEL_OPERATOR(void*, _Znwm, (std::size_t n), (n))
RAVEL_OPERATOR(void*, _Znam, (std::size_t n), (n))
RAVEL_OPERATOR(void*, _ZnwmRKSt9nothrow_t, (std::size_t n, const void* t), (n, t))
RAVEL_OPERATOR(void*, _ZnamRKSt9nothrow_t, (std::size_t n, const void* t), (n, t))
RAVEL_OPERATOR(void*, _ZnwmSt11align_val_t, (std::size_t n, std::size_t a), (n, a))
RAVEL_OPERATOR(void*, _ZnamSt11align_val_t, (std::size_t n, std::size_t a), (n, a))
RAVEL_OPERATOR(void*, _ZnwmSt11align_val_tRKSt9nothrow_t, (std::size_t n, std::size_t a, const void* t),
               (n, a, t))
RAVEL_OPERATOR(void*, _ZnamSt11align_val_tRKSt9nothrow_t, (std::size_t n, std::size_t a, const void* t),
               (n, a, t))
RAVEL_OPERATOR(void, _ZdlPv, (void* p), (p))
RAVEL_OPERATOR(void, _ZdaPv, (void* p), (p))
RAVEL_OPERATOR(void, _ZdlPvm, (void* p, std::size_t n), (p, n))
RAVEL_OPERATOR(void, _ZdaPvm, (void* p, std::size_t n), (p, n))
RAVEL_OPERATOR(void, _ZdlPvRKSt9nothrow_t, (void* p, const void* t), (p, t))
RAVEL_OPERATOR(void, _ZdaPvRKSt9nothrow_t, (void* p, const void* t), (p, t))
RAVEL_OPERATOR(void, _ZdlPvSt11align_val_t, (void* p, std::size_t a), (p, a))
RAVEL_OPERATOR(void, _ZdaPvSt11align_val_t, (void* p, std::size_t a), (p, a))
RAVEL_OPERATOR(void, _ZdlPvmSt11align_val_t, (void* p, std::size_t n, std::size_t a), (p, n, a))
RAVEL_OPERATOR(void, _ZdaPvmSt11align_val_t, (void* p, std::size_t n, std::size_t a), (p, n, a))
RAVEL_OPERATOR(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void* p, std::size_t a, const void* t), (p, a, t))
RAVEL_OPERATOR(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void* p, std::size_t a, const void* t), (p, a, t))

RAVEL_INTERCEPT(void*, mmap, void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  return map(at, bytes, protection, flags, file, offset, RAVEL_CALLER);
}
RAVEL_INTERCEPT(void*, mmap64, void* at, std::size_t bytes, int protection, int flags, int file,
                off_t offset) {
  return map(at, bytes, protection, flags, file, offset, RAVEL_CALLER);
}
RAVEL_INTERCEPT(int, munmap, void* at, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (Thread* const self = owning_thread(); self != nullptr && address % kPageBytes == 0)
    memory_ends(*self, address, whole_pages(bytes), RAVEL_CALLER);
  return real_munmap()(at, bytes);
}
RAVEL_INTERCEPT(void*, mremap, void* at, std::size_t old_bytes, std::size_t bytes, int flags, void* to) {
  Thread* const self = owning_thread();
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (self != nullptr && address % kPageBytes == 0)
    memory_ends(*self, address, whole_pages(old_bytes), RAVEL_CALLER);
  void* const moved = real_mremap()(at, old_bytes, bytes, flags, to);
  if (self != nullptr && moved != MAP_FAILED)
    memory_begins(*self, reinterpret_cast<std::uintptr_t>(moved), whole_pages(bytes), RAVEL_CALLER);
  return moved;
}

// Where hooks of accesses go on if their glance at the shadow did not decide, and most end.
//
// Programs with inlined hooks (event/inline_check.h) count on all registers, so that an access costs them
// none as long as nothing happens.
#include "runtime/access.h"

namespace ravel::rt {
namespace {

/// In as few steps as can be: the thread was the last at the cell, or has read the bytes; and it was at this
/// place lately. False: it was not that; or a signal waits, so that it is to be done again.
template <unsigned kKind>
RAVEL_INLINE bool renew_at_once(Thread& self, std::uintptr_t address, std::uint64_t bytes, Pc pc) {
  {
    const Working working(self);
    const Bias bias = __atomic_load_n(&bias_of(address), __ATOMIC_ACQUIRE);
    const bool own = is_own_region(self, bias);
    if (!own && !is_shared_for_good(bias)) return false;
    const Cell cell(address);
    const std::uint64_t old = __atomic_load_n(&cell.word(kKind), __ATOMIC_ACQUIRE);
    const Region region = own ? Region::Own : Region::Shared;
    const bool is_own = is_last(self, old) || (kKind == kReadWord && has_read(self, old, bytes));
    const bool done = kKind == kReadWord && is_word_of_readers(old)
                          ? read_shared_anew(self, address, bytes, pc)
                          : is_own && renew_slot<kKind>(self, cell, old, bytes, region, AtOnce{self, pc});
    if (!done) return false;
  }
  return self.pending_signals == 0;
}

}  // namespace

template <unsigned kKind>
void access_missed(Thread& self, std::uintptr_t address, unsigned bytes, Pc pc) {
  if (!renew_at_once<kKind>(self, address, bytes_code(address & 7, bytes), pc))
    access_anew<kKind>(self, address, bytes, pc);
}
template void access_missed<kReadWord>(Thread&, std::uintptr_t, unsigned, Pc);
template void access_missed<kWriteWord>(Thread&, std::uintptr_t, unsigned, Pc);

namespace {

/// What most of it comes to. `bytes`: a bit each, from the lowest on.
template <unsigned kKind>
RAVEL_INLINE bool finish_at_once(const void* memory, Pc pc, unsigned bytes) {
  Thread* const self = hot_thread;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t code = std::uint64_t{bytes} << (address & 7);
  return self != nullptr && code <= kBytesMask && renew_at_once<kKind>(*self, address, code, pc);
}

/// The rest of access() for one of up to eight bytes. The thread has counted it.
template <unsigned kKind>
RAVEL_INLINE void finish_access(const void* memory, Pc pc, unsigned bytes) {
  Thread* const self = hot_thread;
  if (self == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto count = 32 - static_cast<unsigned>(__builtin_clz(bytes));
  if ((address & 7) + count > 8) return access_bytes<kKind>(*self, address, count, pc);
  access_anew<kKind>(*self, address, count, pc);
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

#define RAVEL_FROM_STUB extern "C" __attribute__((used))

RAVEL_FROM_STUB bool ravel_read_at_once(const void* memory, Pc pc, unsigned bytes) {
  return finish_at_once<kReadWord>(memory, pc, bytes);
}
RAVEL_FROM_STUB bool ravel_write_at_once(const void* memory, Pc pc, unsigned bytes) {
  return finish_at_once<kWriteWord>(memory, pc, bytes);
}
RAVEL_FROM_STUB void ravel_read_at_length(const void* memory, Pc pc, unsigned bytes) {
  finish_access<kReadWord>(memory, pc, bytes);
}
RAVEL_FROM_STUB void ravel_write_at_length(const void* memory, Pc pc, unsigned bytes) {
  finish_access<kWriteWord>(memory, pc, bytes);
}

#define SAVE(name) "push %" name "\n\t.cfi_adjust_cfa_offset 8\n\t"
#define RESTORE(name) "pop %" name "\n\t.cfi_adjust_cfa_offset -8\n\t"

/// Has rdi, the address; the return address, which is the place; and r11, the bytes. Keeps what a function
/// may change by the C convention, but r11 and the vectors. Nine words on the stack and the return address
/// keep it aligned.
#define RAVEL_FINISH(name)                                                                              \
  extern "C" __attribute__((naked, used)) void ravel_finish_##name() {                                  \
    asm(SAVE("rax") SAVE("rcx") SAVE("rdx") SAVE("rsi") SAVE("r8") SAVE("r9") SAVE("r10") SAVE("rdi") \
        SAVE("r11")                                                                                   \
        "mov 72(%rsp), %rsi\n\t"                                                                      \
        "mov %r11d, %edx\n\t"                                                                         \
        "call ravel_" #name "_at_once\n\t"                                                            \
        "test %al, %al\n\t"                                                                           \
        "jne 1f\n\t"                                                                                  \
        "mov (%rsp), %edx\n\t"                                                                        \
        "mov 8(%rsp), %rdi\n\t"                                                                       \
        "mov 72(%rsp), %rsi\n\t"                                                                      \
        "call ravel_" #name "_at_length\n"                                                            \
        "1:\n\t"                                                                                      \
        RESTORE("r11") RESTORE("rdi") RESTORE("r10") RESTORE("r9") RESTORE("r8") RESTORE("rsi")       \
        RESTORE("rdx") RESTORE("rcx") RESTORE("rax")                                                  \
        "ret"); \
  }
RAVEL_FINISH(read)
RAVEL_FINISH(write)

// Called through a pointer: lazy binding would not keep r10.
#define RAVEL_INLINE_HOOK(name, bytes)                                                           \
  RAVEL_INTERFACE                                                                                \
  __attribute__((naked)) void inline_##name##bytes() __asm__(RAVEL_INLINE_SYMBOL(#name #bytes)); \
  void inline_##name##bytes() {                                                                  \
    asm("endbr64\n\t"                                                                            \
        "mov %0, %%r11d\n\t"                                                                     \
        "jmp ravel_finish_" #name ::"i"((1 << (bytes)) - 1));                                    \
  }
RAVEL_INLINE_HOOK(read, 1)
RAVEL_INLINE_HOOK(read, 2)
RAVEL_INLINE_HOOK(read, 4)
RAVEL_INLINE_HOOK(read, 8)
RAVEL_INLINE_HOOK(write, 1)
RAVEL_INLINE_HOOK(write, 2)
RAVEL_INLINE_HOOK(write, 4)
RAVEL_INLINE_HOOK(write, 8)

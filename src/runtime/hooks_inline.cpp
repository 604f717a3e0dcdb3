// Where programs with inlined hooks go on if their glance at the shadow did not decide
// (event/inline_check.h). They count on their registers, so that an access costs them none as long as nothing
// happens.
#include "runtime/access.h"

using namespace ravel::rt;

namespace {

/// The rest of access() for one of up to eight bytes. The thread has counted it.
template <unsigned kKind>
RAVEL_INLINE void finish_access(const void* memory, Pc pc, unsigned bytes) {
  Thread* const self = hot_thread;
  if (self == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if ((address & 7) + bytes > 8) [[unlikely]]
    return access_bytes<kKind>(*self, address, bytes, pc);
  access_anew<kKind>(*self, address, bytes, pc);
}

}  // namespace

extern "C" __attribute__((used)) void ravel_finish_read(const void* memory, Pc pc, unsigned bytes) {
  finish_access<kReadWord>(memory, pc, bytes);
}
extern "C" __attribute__((used)) void ravel_finish_write(const void* memory, Pc pc, unsigned bytes) {
  finish_access<kWriteWord>(memory, pc, bytes);
}

#define SAVE(name) "push %" name "\n\t.cfi_adjust_cfa_offset 8\n\t"
#define RESTORE(name) "pop %" name "\n\t.cfi_adjust_cfa_offset -8\n\t"

/// Calls a function with rdi, the address; the return address; and r11, the number of bytes. Keeps what a
/// function may change by the C convention, but r11 and the vectors. Nine words on the stack and the return
/// address keep it aligned.
#define RAVEL_KEEP_REGISTERS(name)                                                                       \
  extern "C" __attribute__((naked, used)) void ravel_keep_and_##name() {                                 \
    asm(SAVE("rax") SAVE("rcx") SAVE("rdx") SAVE("rsi") SAVE("rdi") SAVE("r8") SAVE("r9") SAVE("r10")  \
        SAVE("r11")                                                                                    \
        "mov 72(%rsp), %rsi\n\t"                                                                       \
        "mov %r11d, %edx\n\t"                                                                          \
        "call ravel_finish_" #name "\n\t"                                                              \
        RESTORE("r11") RESTORE("r10") RESTORE("r9") RESTORE("r8") RESTORE("rdi") RESTORE("rsi")        \
        RESTORE("rdx") RESTORE("rcx") RESTORE("rax")                                                   \
        "ret"); \
  }
RAVEL_KEEP_REGISTERS(read)
RAVEL_KEEP_REGISTERS(write)

// Called through a pointer: lazy binding would not keep r10.
#define RAVEL_INLINE_HOOK(name, bytes)                                                           \
  RAVEL_INTERFACE                                                                                \
  __attribute__((naked)) void inline_##name##bytes() __asm__(RAVEL_INLINE_SYMBOL(#name #bytes)); \
  void inline_##name##bytes() {                                                                  \
    asm("endbr64\n\t"                                                                            \
        "mov %0, %%r11d\n\t"                                                                     \
        "jmp ravel_keep_and_" #name ::"i"(bytes));                                               \
  }
RAVEL_INLINE_HOOK(read, 1)
RAVEL_INLINE_HOOK(read, 2)
RAVEL_INLINE_HOOK(read, 4)
RAVEL_INLINE_HOOK(read, 8)
RAVEL_INLINE_HOOK(write, 1)
RAVEL_INLINE_HOOK(write, 2)
RAVEL_INLINE_HOOK(write, 4)
RAVEL_INLINE_HOOK(write, 8)

// sanitizer/common_interface_defs.h, allocator_interface.h and lsan_interface.h: what a program may call
// whatever sanitizer it is built with.
#include <dlfcn.h>
#include <malloc.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/intercept.h"
#include "runtime/memory_hooks.h"

namespace ravel::rt {

constinit MemoryHooks memory_hooks;

namespace {

constinit char report_path[4096] = "stderr";

void print(const char* text, std::size_t length) {
  system_call(SYS_write, 2, reinterpret_cast<long>(text), static_cast<long>(length));
}

/// What is known about a code address without debug information.
struct Symbol {
  const char* module = "??";
  const char* name = nullptr;
  std::uintptr_t offset = 0;  ///< in the module
};
Symbol symbol_of(const void* address) {
  const Quiet quiet;
  Dl_info info{};
  if (dladdr(address, &info) == 0) return {};
  return {info.dli_fname, info.dli_sname,
          reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase)};
}

void add_location(Text& text, const Symbol& symbol) {
  text.add("(").add(symbol.module).add("+0x").number(symbol.offset, 16).add(")");
}

/// Writes the address as the format says: the letters that the header documents, '?' for what only debug
/// information knows.
void describe(const void* address, const char* format, char* out, std::size_t size) {
  if (size == 0) return;
  const Symbol symbol = symbol_of(address);
  Text text(out, size);
  for (const char* at = format; *at != '\0'; ++at) {
    if (*at != '%') {
      text.add(at, 1);
      continue;
    }
    switch (*++at) {
      case '%':
        text.add("%");
        break;
      case 'p':
        text.add("0x").number(reinterpret_cast<std::uintptr_t>(address), 16);
        break;
      case 'f':
      case 'g':
        text.add(symbol.name != nullptr ? symbol.name : "??");
        break;
      case 'F':
        text.add("in ").add(symbol.name != nullptr ? symbol.name : "??");
        break;
      case 'm':
        text.add(symbol.module);
        break;
      case 'o':
        text.add("0x").number(symbol.offset, 16);
        break;
      case 'L':
      case 'S':
      case 'M':
        add_location(text, symbol);
        break;
      case 'n':
      case 'l':
      case 'c':
        text.add("0");
        break;
      case '\0':
        return;
      default:
        text.add("??");
        break;
    }
  }
}

void print_frame(unsigned number, const void* address) {
  char buffer[4200];
  Text line(buffer, sizeof buffer);
  const Symbol symbol = symbol_of(address);
  line.add("    #").number(number).add(" 0x").number(reinterpret_cast<std::uintptr_t>(address), 16);
  if (symbol.name != nullptr) line.add(" in ").add(symbol.name);
  line.add(" ");
  add_location(line, symbol);
  line.add("\n");
  print(buffer, line.size());
}

template <typename T>
T load_unaligned(const void* from, Pc pc) {
  touch(hot_thread, from, sizeof(T), kReadWord, pc);
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename T>
void store_unaligned(void* to, T value, Pc pc) {
  touch(hot_thread, to, sizeof(T), kWriteWord, pc);
  __builtin_memcpy(to, &value, sizeof value);
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

// Where reports would go: ravel's are made from the trace, elsewhere.
RAVEL_INTERFACE void __sanitizer_set_report_path(const char* path) {
  Text(report_path, sizeof report_path).add(path != nullptr ? path : "stderr");
}
RAVEL_INTERFACE void __sanitizer_set_report_fd(void* /*file*/) {}
RAVEL_INTERFACE const char* __sanitizer_get_report_path() { return report_path; }
RAVEL_INTERFACE void __sanitizer_sandbox_on_notify(void* /*arguments*/) {}
RAVEL_INTERFACE void __sanitizer_report_error_summary(const char* text) {
  print(text, strlen(text));
  print("\n", 1);
}
RAVEL_INTERFACE void __sanitizer_set_death_callback(void (* /*callback*/)()) {}
RAVEL_INTERFACE int __sanitizer_acquire_crash_state() {
  static constinit int taken = 0;
  return __atomic_exchange_n(&taken, 1, __ATOMIC_ACQ_REL) == 0 ? 1 : 0;
}

RAVEL_INTERFACE std::uint16_t __sanitizer_unaligned_load16(const void* p) {
  return load_unaligned<std::uint16_t>(p, RAVEL_CALLER);
}
RAVEL_INTERFACE std::uint32_t __sanitizer_unaligned_load32(const void* p) {
  return load_unaligned<std::uint32_t>(p, RAVEL_CALLER);
}
RAVEL_INTERFACE std::uint64_t __sanitizer_unaligned_load64(const void* p) {
  return load_unaligned<std::uint64_t>(p, RAVEL_CALLER);
}
RAVEL_INTERFACE void __sanitizer_unaligned_store16(void* p, std::uint16_t value) {
  store_unaligned(p, value, RAVEL_CALLER);
}
RAVEL_INTERFACE void __sanitizer_unaligned_store32(void* p, std::uint32_t value) {
  store_unaligned(p, value, RAVEL_CALLER);
}
RAVEL_INTERFACE void __sanitizer_unaligned_store64(void* p, std::uint64_t value) {
  store_unaligned(p, value, RAVEL_CALLER);
}

/// The calls that the compiler's hooks know of, innermost first.
RAVEL_INTERFACE void __sanitizer_print_stack_trace() {
  print_frame(0, __builtin_return_address(0));
  const Thread* const self = this_thread;
  if (self == nullptr) return;
  unsigned number = 1;
  for (std::uint32_t i = self->depth < Thread::kMaxCalls ? self->depth : Thread::kMaxCalls; i > 0; --i)
    print_frame(number++, reinterpret_cast<void*>(self->calls[i - 1].call));
}
RAVEL_INTERFACE void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, std::size_t size) {
  describe(pc, format, out, size);
}
RAVEL_INTERFACE void __sanitizer_symbolize_global(void* data, const char* format, char* out,
                                                  std::size_t size) {
  describe(data, format, out, size);
}
RAVEL_INTERFACE int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, std::size_t size,
                                                             void** offset) {
  const Symbol symbol = symbol_of(pc);
  if (symbol.offset == 0) return 0;
  if (path != nullptr && size > 0) Text(path, size).add(symbol.module);
  if (offset != nullptr) *offset = reinterpret_cast<void*>(symbol.offset);
  return 1;
}

// Only the address sanitizer checks containers and swaps fake stacks.
RAVEL_INTERFACE void __sanitizer_annotate_contiguous_container(const void*, const void*, const void*,
                                                               const void*) {}
RAVEL_INTERFACE void __sanitizer_annotate_double_ended_contiguous_container(const void*, const void*,
                                                                            const void*, const void*,
                                                                            const void*, const void*) {}
RAVEL_INTERFACE int __sanitizer_verify_contiguous_container(const void*, const void*, const void*) {
  return 1;
}
RAVEL_INTERFACE int __sanitizer_verify_double_ended_contiguous_container(const void*, const void*,
                                                                         const void*, const void*) {
  return 1;
}
RAVEL_INTERFACE const void* __sanitizer_contiguous_container_find_bad_address(const void*, const void*,
                                                                              const void*) {
  return nullptr;
}
RAVEL_INTERFACE const void* __sanitizer_double_ended_contiguous_container_find_bad_address(const void*,
                                                                                           const void*,
                                                                                           const void*,
                                                                                           const void*) {
  return nullptr;
}
RAVEL_INTERFACE void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
RAVEL_INTERFACE void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}
RAVEL_INTERFACE void __sanitizer_print_memory_profile(std::size_t, std::size_t) {}

// The allocator is glibc's: it does not say which blocks are its own, so every address but null is taken for
// one.
RAVEL_INTERFACE std::size_t __sanitizer_get_estimated_allocated_size(std::size_t bytes) { return bytes; }
RAVEL_INTERFACE int __sanitizer_get_ownership(const volatile void* block) { return block != nullptr ? 1 : 0; }
RAVEL_INTERFACE const void* __sanitizer_get_allocated_begin(const void* block) { return block; }
RAVEL_INTERFACE std::size_t __sanitizer_get_allocated_size(const volatile void* block) {
  return malloc_usable_size(const_cast<void*>(block));
}
RAVEL_INTERFACE std::size_t __sanitizer_get_allocated_size_fast(const volatile void* block) {
  return malloc_usable_size(const_cast<void*>(block));
}
RAVEL_INTERFACE std::size_t __sanitizer_get_current_allocated_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}
RAVEL_INTERFACE std::size_t __sanitizer_get_heap_size() {
  const struct mallinfo2 info = mallinfo2();
  return info.arena + info.hblkhd;
}
RAVEL_INTERFACE std::size_t __sanitizer_get_free_bytes() { return mallinfo2().fordblks; }
RAVEL_INTERFACE std::size_t __sanitizer_get_unmapped_bytes() { return 0; }
RAVEL_INTERFACE void __sanitizer_purge_allocator() { malloc_trim(0); }
RAVEL_INTERFACE int __sanitizer_install_malloc_and_free_hooks(MallocHook on_malloc, FreeHook on_free) {
  if (on_malloc == nullptr || on_free == nullptr || memory_hooks.count == MemoryHooks::kMost) return 0;
  memory_hooks.on_malloc[memory_hooks.count] = on_malloc;
  memory_hooks.on_free[memory_hooks.count] = on_free;
  return ++memory_hooks.count;
}

// Leaks are not looked for.
RAVEL_INTERFACE void __lsan_disable() {}
RAVEL_INTERFACE void __lsan_enable() {}
RAVEL_INTERFACE void __lsan_ignore_object(const void*) {}
RAVEL_INTERFACE void __lsan_register_root_region(const void*, std::size_t) {}
RAVEL_INTERFACE void __lsan_unregister_root_region(const void*, std::size_t) {}
RAVEL_INTERFACE void __lsan_do_leak_check() {}
RAVEL_INTERFACE int __lsan_do_recoverable_leak_check() { return 0; }

#include "runtime/code.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/access.h"
#include "runtime/foreign_library.h"
#include "runtime/recorder.h"

namespace ravel::rt {

constinit CodeRange main_code{};

namespace {

struct Module {
  CodeRange code;
  std::uintptr_t bias;
  std::uintptr_t bytes;  ///< with its data
  const char* path;      ///< in names
  bool here;             ///< scratch of retire_modules
};

constexpr std::uint32_t kMaxModules = 4096;
constexpr std::size_t kNameBytes = 1 << 20;

constinit Module* modules = nullptr;  ///< kMaxModules of them, never moved
constinit std::uint32_t module_count = 0;
constinit std::uint32_t next_code =
    (stream::kFirstCode + stream::kGroupSites - 1) & ~(stream::kGroupSites - 1);
constinit char* names = nullptr;
constinit std::size_t names_used = 0;
constinit SpinLock updating;

/// The module's build id as hexadecimal digits, "-" if it has none.
void add_build_id(Text& line, const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr);
    const char* const end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof note);
      const char* const name = at + sizeof note;
      const auto* id = reinterpret_cast<const unsigned char*>(name + ((note.n_namesz + 3) & ~3U));
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        for (unsigned k = 0; k < note.n_descsz; ++k) line.number(id[k] >> 4, 16).number(id[k] & 15, 16);
        return;
      }
      at = reinterpret_cast<const char*>(id) + ((note.n_descsz + 3) & ~3U);
    }
  }
  line.add("-");
}

/// Those who note have `updating`: this is too much for the stack of a signal handler.
void note_module(const Module& module, const dl_phdr_info& info) {
  static char buffer[8192];
  Text line(buffer, sizeof buffer);
  line.add("module ").number(module.code.code, 16).add(" ").number(module.code.begin, 16).add(" ");
  line.number(module.bias, 16).add(" ").number(module.bytes, 16).add(" ");
  add_build_id(line, info);
  line.add(" ").word(module.path);
  if (!line.full()) recorder.stream.note(buffer, line.size());
  note_if_foreign(module.path, info, module.code);
}

const char* keep_name(const char* name) {
  const std::size_t length = strlen(name) + 1;
  if (names_used + length > kNameBytes) return "";
  char* const copy = names + names_used;
  memcpy(copy, name, length);
  names_used += length;
  return copy;
}

/// A module from its first byte to its last. Code comes early in it: data after the last of it, which may be
/// large, takes none of the space of code addresses.
Module find_extent(const dl_phdr_info& info) {
  std::uintptr_t low = UINTPTR_MAX;
  std::uintptr_t high = 0;
  std::uintptr_t code_end = 0;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
    if ((segment.p_flags & PF_X) != 0 && end > code_end) code_end = end;
  }
  low &= ~(kPageBytes - 1);
  Module module{};
  module.bias = info.dlpi_addr;
  module.code = {low, code_end > low ? code_end - low : 0, 0};
  module.bytes = high > low ? high - low : 0;
  return module;
}

struct Update {
  bool again;  ///< note the known ones, too
  int seen;
};

int visit(dl_phdr_info* info, std::size_t /*size*/, void* context) {
  auto& update = *static_cast<Update*>(context);
  const bool first = update.seen++ == 0;
  Module module = find_extent(*info);
  module.here = true;
  if (module.code.bytes == 0 || (!first && strchr(info->dlpi_name, '/') == nullptr))
    return 0;  // the kernel's
  for (std::uint32_t i = 0; i < module_count; ++i) {
    const Module& known = modules[i];
    // The same place and size may be another library after dlclose: then the path tells.
    if (known.code.begin != module.code.begin || known.code.bytes != module.code.bytes) continue;
    if (!first && strcmp(known.path, info->dlpi_name) != 0) continue;
    if (update.again) note_module(known, *info);
    return 0;
  }
  if (module_count == kMaxModules) return 0;
  static char path[4096];
  const char* name = info->dlpi_name;
  if (first) {  // the program itself has no name here
    const long length = system_call(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"),
                                    reinterpret_cast<long>(path), sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    name = path;
  }
  module.path = keep_name(name);
  module.code.code = next_code;
  // The last bits of a code address are those of the address itself.
  const auto codes = static_cast<std::uint32_t>(module.code.bytes >> 2) + 2;
  next_code += (codes + stream::kGroupSites - 1) & ~(stream::kGroupSites - 1);
  modules[module_count] = module;
  __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
  if (first) main_code = module.code;
  note_module(module, *info);
  return 0;
}

/// Modules of the program's loader so far; it grows with each one.
int count_loads(dl_phdr_info* info, std::size_t /*size*/, void* context) {
  *static_cast<unsigned long long*>(context) = info->dlpi_adds;
  return 1;
}

constinit unsigned long long loads_known = 0;

/// Whether modules have come since the last look.
bool modules_have_come() {
  const Quiet quiet;
  unsigned long long loads = 0;
  dl_iterate_phdr(count_loads, &loads);
  return __atomic_exchange_n(&loads_known, loads, __ATOMIC_RELAXED) != loads;
}

int mark_here(dl_phdr_info* info, std::size_t /*size*/, void* /*context*/) {
  const std::uintptr_t begin = find_extent(*info).code.begin;
  for (std::uint32_t i = 0; i < module_count; ++i)
    if (modules[i].code.begin == begin) modules[i].here = true;
  return 0;
}

std::uint32_t look_up(std::uintptr_t pc) {
  // From the last one: of two at the same place, the later is there now.
  for (std::uint32_t i = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE); i > 0; --i) {
    const CodeRange& code = modules[i - 1].code;
    if (pc - code.begin < code.bytes) return code.code + static_cast<std::uint32_t>((pc - code.begin) >> 2);
  }
  return 0;
}

void visit_modules(bool again) {
  const Quiet quiet;
  const Locked lock(updating);
  if (modules == nullptr) {
    modules = static_cast<Module*>(reserve_memory(kMaxModules * sizeof(Module)));
    names = static_cast<char*>(reserve_memory(kNameBytes));
    if (modules == nullptr || names == nullptr) die("no memory for the list of modules");
  }
  Update update{again, 0};
  dl_iterate_phdr(visit, &update);
}

}  // namespace

std::uint32_t find_code(std::uintptr_t pc) {
  const std::uint32_t code = look_up(pc);
  // Code outside all modules was made by the program itself, or is of a library that was loaded since.
  if (code != 0 || pc == 0 || !modules_have_come()) return code;
  update_modules();
  return look_up(pc);
}

void retire_modules(Thread& self) {
  const Quiet quiet;
  const Locked lock(updating);
  for (std::uint32_t i = 0; i < module_count; ++i) modules[i].here = false;
  dl_iterate_phdr(mark_here, nullptr);
  for (std::uint32_t i = 0; i < module_count; ++i) {
    CodeRange& code = modules[i].code;
    if (modules[i].here || code.bytes == 0) continue;
    memory_begins(self, code.begin, code.bytes, 0);
    code.bytes = 0;
  }
}

void free_module_lock() { updating = {}; }

void update_modules() { visit_modules(false); }
void note_modules_again() { visit_modules(true); }

}  // namespace ravel::rt

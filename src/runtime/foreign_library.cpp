#include "runtime/foreign_library.h"

#include <elf.h>
#include <string.h>

#include "runtime/openmp.h"
#include "runtime/recorder.h"

namespace ravel::rt {
namespace {

// Beginnings of file names.
constexpr const char* kLibraries[] = {
    "libgomp.so",     "libtbb.so",      "libtbb_debug.so", "libtbb12.",
    "libglib-2.0.so", "libgthread-2.0", "libgo.so",        "libstd-",  // Rust's
    "libQt5Core",     "libQt6Core",     "libdispatch.so",
};
/// OpenMP runtimes that can tell.
constexpr const char* kOpenMp[] = {"libomp.so", "libiomp5.so"};

/// Programs of the Go toolchain have a note of its own.
bool is_go(const dl_phdr_info& info) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || segment.p_memsz < sizeof(ElfW(Nhdr)) + 4) continue;
    const auto* const note = reinterpret_cast<const ElfW(Nhdr)*>(info.dlpi_addr + segment.p_vaddr);
    if (note->n_namesz == 4 && memcmp(note + 1, "Go\0", 4) == 0) return true;
  }
  return false;
}

bool begins_with(const char* text, const char* begin) { return strncmp(text, begin, strlen(begin)) == 0; }

}  // namespace

void note_if_foreign(const char* path, const dl_phdr_info& info, const CodeRange& code) {
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  bool foreign = is_go(info);
  for (const char* const begin : kLibraries) foreign = foreign || begins_with(name, begin);
  for (const char* const begin : kOpenMp) {
    if (!begins_with(name, begin)) continue;
    foreign = !openmp_is_seen();
    if (!foreign) openmp_code = code;
  }
  if (!foreign) return;
  char buffer[512];
  Text line(buffer, sizeof buffer);
  line.add("library ").word(name);
  recorder.stream.note(buffer, line.size());
}

}  // namespace ravel::rt

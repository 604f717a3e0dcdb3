#include "symbol/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace ravel {
namespace {

const Dwfl_Callbacks kCallbacks = {.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = dwfl_standard_find_debuginfo,
                                   .section_address = nullptr,
                                   .debuginfo_path = nullptr};

/// libdwfl would also take archives, relocatable files, core dumps and compressed files.
bool is_loadable(int descriptor) {
  Elf64_Ehdr head;
  if (::pread(descriptor, &head, sizeof head, 0) != sizeof head) return false;
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == (std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB) &&
         (head.e_type == ET_EXEC || head.e_type == ET_DYN);
}

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
  // O_NONBLOCK: a trace may name anything, a pipe included.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail(fmt::format("cannot open: {}", std::strerror(errno)), path);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || !is_loadable(descriptor)) {
    ::close(descriptor);
    return fail("is no executable or shared library of this kind of machine", path);
  }
  ElfFile file;
  file.bytes_ = static_cast<std::uint64_t>(status.st_size);
  file.session_.reset(dwfl_begin(&kCallbacks));
  if (file.session_) {
    dwfl_report_begin(file.session_.get());
    // Base 0 on top of the file's own addresses: the bias of the main file is 0.
    file.module_ = dwfl_report_elf(file.session_.get(), path.c_str(), path.c_str(), descriptor, 0, true);
    dwfl_report_end(file.session_.get(), nullptr, nullptr);
  }
  GElf_Addr bias = 0;
  if (file.module_ == nullptr) {
    ::close(descriptor);  // libdwfl takes it only if it succeeds
    return fail(fmt::format("cannot be read: {}", dwfl_errmsg(-1)), path);
  }
  if (dwfl_module_getelf(file.module_, &bias) == nullptr || bias != 0)
    return fail(fmt::format("cannot be read: {}", dwfl_errmsg(-1)), path);
  return file;
}

std::string ElfFile::build_id() const {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int count = dwfl_module_build_id(module_, &bits, &address);
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{:02x}", bits[i]);
  return text;
}

Dwarf* ElfFile::dwarf(std::uint64_t& bias) const {
  Dwarf_Addr found = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(module_, &found);
  bias = found;
  return dwarf;
}

std::uint64_t ElfFile::entry_limit() const {
  std::uint64_t bytes = bytes_;
  const char *main = nullptr, *debug = nullptr;
  dwfl_module_info(module_, nullptr, nullptr, nullptr, nullptr, nullptr, &main, &debug);
  struct stat status{};
  if (debug != nullptr && ::stat(debug, &status) == 0) bytes += static_cast<std::uint64_t>(status.st_size);
  // Entries of a few bytes, in sections that may be compressed.
  return 4 * bytes + 1'000'000;
}

}  // namespace ravel

// ElfFile: one executable or shared library, and the debug file that belongs to it. For this module only.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <memory>
#include <string>

#include "event/result.h"

namespace ravel {

/// Addresses are the file's own (as linked), whatever the debug file says. libdwfl finds separate debug files
/// next to the file and under /usr/lib/debug, by build id or .gnu_debuglink, and expands compressed sections.
class ElfFile {
 public:
  /// Opens nothing but a regular ELF executable or shared library.
  static Result<ElfFile> open(const std::string& path);

  Dwfl_Module* module() const { return module_; }
  /// In hexadecimal digits; empty: it has none.
  std::string build_id() const;
  /// Nothing (null): no debug information. What DWARF calls `address` is `address` - bias.
  Dwarf* dwarf(std::uint64_t& bias) const;
  /// An upper bound, in sane files, of the number of entries of debug information.
  std::uint64_t entry_limit() const;

 private:
  struct EndSession {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };

  std::unique_ptr<Dwfl, EndSession> session_;
  Dwfl_Module* module_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace ravel

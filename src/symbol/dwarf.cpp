#include "symbol/dwarf.h"

#include <filesystem>

namespace ravel::dwarf {

std::string scope_within(const std::string& outer, Dwarf_Die die) {
  std::string_view own = name(die);
  if (own.empty() && tag(die) == DW_TAG_namespace) own = "(anonymous namespace)";
  if (own.empty()) return outer;
  std::string scope = outer;
  scope.append(own).append("::");
  return scope;
}

std::string file_path(const char* path) {
  // clang reaches the standard library through "/usr/lib/gcc/.../../../../include".
  return path == nullptr ? std::string() : std::filesystem::path(path).lexically_normal().string();
}

std::string declared_in(Dwarf_Die die) { return file_path(dwarf_decl_file(&die)); }

}  // namespace ravel::dwarf

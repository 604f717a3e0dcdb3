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

// Not dwarf_decl_file(): it asserts that the unit has a line table.
std::string declared_in(Dwarf_Die die) {
  auto file = attribute(die, DW_AT_decl_file);
  Dwarf_Word index = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (!file || dwarf_formudata(&*file, &index) != 0 ||
      dwarf_cu_die(file->cu, &unit, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr ||
      dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count)
    return {};
  return file_path(dwarf_filesrc(files, index, nullptr, nullptr));
}

}  // namespace ravel::dwarf

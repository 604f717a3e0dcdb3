#include "symbol/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "symbol/names.h"

namespace ravel {
namespace {

/// Longer names are not demangled: substitutions let the text grow without bound.
constexpr std::size_t kMaxMangled = 16384;

}  // namespace

std::string demangle(std::string_view linkage_name) {
  if (!linkage_name.starts_with("_Z") || linkage_name.size() > kMaxMangled) return std::string(linkage_name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(linkage_name).c_str(), nullptr, nullptr, &status), &std::free);
  return text && status == 0 ? std::string(text.get()) : std::string(linkage_name);
}

std::string_view without_clone_suffix(std::string_view linkage_name) {
  const std::size_t dot = linkage_name.find('.');
  return dot == 0 ? linkage_name : linkage_name.substr(0, dot);
}

bool is_system_file(std::string_view file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/");
}

}  // namespace ravel

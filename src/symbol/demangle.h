// Names as compilers write them and as people read them.
#pragma once

#include <string>
#include <string_view>

namespace ravel {

/// The C++ name behind a linkage name; any other name as it is.
std::string demangle(std::string_view linkage_name);

/// Without what compilers append to the copies they make of a function (".isra.0", ".cold", ".llvm.123").
std::string_view without_clone_suffix(std::string_view linkage_name);

}  // namespace ravel

// What the symbolizer says about an address: plain values, ready to print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ravel {

/// One function at a code address, inlined ones included.
struct SourceFrame {
  std::string function;      ///< demangled, for people
  std::string linkage_name;  ///< for fingerprints: the same in every build of the same source
  std::string file;          ///< empty: unknown
  std::uint32_t line = 0;    ///< 0: unknown, as the next two
  std::uint32_t column = 0;
  std::uint32_t function_line = 0;  ///< first line of the function

  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

/// A global or static variable, and what an address within it belongs to.
struct DataObject {
  std::string name;          ///< with the path: "config.limits[3].soft", "table[3] (static in f())"
  std::string object;        ///< the variable alone: "ns::config", "f()::table"
  std::string linkage_name;  ///< of the variable; "config" where it is not mangled
  std::string path;          ///< ".limits[3].soft"; empty: the variable itself or nothing known within it
  std::string type;          ///< of the variable; empty: unknown
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< 0: unknown

  friend bool operator==(const DataObject&, const DataObject&) = default;
};

/// One base or data member of a class.
struct Field {
  std::string name;  ///< empty: an anonymous union or struct, or a base
  std::string type;
  std::uint64_t offset = 0;      ///< of the first byte the field has a part of
  std::uint64_t size = 0;        ///< in bytes; for a bit field, of the bytes it has a part of
  std::uint32_t bit_offset = 0;  ///< within the first byte
  std::uint32_t bit_size = 0;    ///< 0: not a bit field
  std::uint64_t elements = 0;    ///< of an array, over all dimensions; 0: not an array
  bool base = false;

  friend bool operator==(const Field&, const Field&) = default;
};

struct ClassLayout {
  std::string name;
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t size = 0;
  bool is_union = false;
  std::vector<Field>
      fields;  ///< as declared, bases first; virtual bases have no fixed offset and are left out

  friend bool operator==(const ClassLayout&, const ClassLayout&) = default;
};

/// Belongs to the compiler or the system rather than to the user: the standard library's headers.
bool is_system_file(std::string_view file);

}  // namespace ravel

# Libraries from the system (scripts/packages lists them), as the interface target ravel_dependencies. Most are headers
# only; asking for them here turns a missing package into one line at configure time.

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pegtl REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(zstd REQUIRED)
find_package(Threads REQUIRED)
find_library(RAVEL_XXHASH NAMES libxxhash.a xxhash REQUIRED)
find_library(RAVEL_DW dw REQUIRED)
find_library(RAVEL_ELF elf REQUIRED)
find_path(RAVEL_DW_HEADERS elfutils/libdwfl.h REQUIRED)

if(TARGET zstd::libzstd_static)
  set(zstd_target zstd::libzstd_static)
else()
  set(zstd_target zstd::libzstd_shared)
endif()

add_library(ravel_dependencies INTERFACE)
target_link_libraries(ravel_dependencies INTERFACE
  fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11 taocpp::pegtl Boost::headers ${zstd_target} ${RAVEL_XXHASH}
  Threads::Threads)

# elfutils, for the one module that reads symbols: nothing that is linked into the user's program may need it.
add_library(ravel_elfutils INTERFACE)
target_link_libraries(ravel_elfutils INTERFACE ${RAVEL_DW} ${RAVEL_ELF})

# The compiler's settings for all of ravel's own code, as the interface target ravel_settings.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# Assertions stay on in what we ship: CMake's own flags for this build type would add NDEBUG.
# Line numbers are all that a stack trace needs; the dev preset has the rest.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug or RelWithDebInfo" FORCE)
endif()

find_program(RAVEL_CCACHE ccache)
if(RAVEL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What it needs to cache files with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${RAVEL_CCACHE}")
endif()

add_library(ravel_settings INTERFACE)
target_include_directories(ravel_settings INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_BINARY_DIR}/generated")
# -Wconversion finds lost bits. Its sign half stays off: sizes and differences of containers mix signs everywhere, and
# the casts that would silence it hide the narrowing we want to see. (clang does not include it, g++ does not in C++;
# said here so that both agree.)
target_compile_options(ravel_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)

if(RAVEL_SANITIZE)
  add_compile_options(-fsanitize=${RAVEL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RAVEL_SANITIZE})
endif()

if(RAVEL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "RAVEL_FUZZ needs clang for libFuzzer; use: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  add_compile_definitions(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  add_link_options(-fsanitize=address,undefined)
endif()

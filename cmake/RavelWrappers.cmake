# The compiler wrappers, and in the build tree the same layout that an installation has, so that one ravelConfig.cmake
# serves both: bin/ravel-c++, lib/instead-of-libtsan/, lib/cmake/ravel/, lib/pkgconfig/, include/ravel/. (The runtime
# itself is lib/libravel_rt.so here and lib/ravel/libravel_rt.so when installed; whoever looks for it tries both.)

# ravel_wrapper(<name> <Language of src/instrument/compiler.h>)
#
# A build of a large project starts a wrapper thousands of times. Linked statically it adds half a millisecond to the
# compiler's start; loading a shared libstdc++ would more than double that.
function(ravel_wrapper name language)
  add_executable(${name} "${CMAKE_SOURCE_DIR}/src/instrument/main.cpp" $<TARGET_OBJECTS:ravel_instrument>)
  target_link_libraries(${name} PRIVATE ravel_settings)
  target_compile_definitions(${name} PRIVATE RAVEL_WRAPPER_LANGUAGE=${language})
  if(NOT RAVEL_SANITIZE)
    target_link_options(${name} PRIVATE -static)
  endif()
endfunction()

ravel_wrapper(ravel-cc C)
ravel_wrapper(ravel-c++ Cxx)

# gcc links these two for -fsanitize=thread; the wrapper makes it look here first. An archive without members does for
# the second on every machine and with every linker.
set(RAVEL_INSTEAD_OF_LIBTSAN "${CMAKE_BINARY_DIR}/lib/instead-of-libtsan")
file(MAKE_DIRECTORY "${RAVEL_INSTEAD_OF_LIBTSAN}")
file(CREATE_LINK ../libravel_rt.so "${RAVEL_INSTEAD_OF_LIBTSAN}/libtsan.so" SYMBOLIC)
file(WRITE "${RAVEL_INSTEAD_OF_LIBTSAN}/libtsan_preinit.o" "!<arch>\n")

configure_file("${CMAKE_SOURCE_DIR}/include/ravel/annotate.h" "${CMAKE_BINARY_DIR}/include/ravel/annotate.h"
  COPYONLY)
configure_file("${CMAKE_SOURCE_DIR}/cmake/package/ravelConfig.cmake"
  "${CMAKE_BINARY_DIR}/lib/cmake/ravel/ravelConfig.cmake" COPYONLY)
configure_file("${CMAKE_SOURCE_DIR}/cmake/package/ravel.pc.in" "${CMAKE_BINARY_DIR}/lib/pkgconfig/ravel.pc" @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/lib/cmake/ravel/ravelConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)

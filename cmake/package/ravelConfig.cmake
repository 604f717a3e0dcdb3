# find_package(ravel) gives
#
#   ravel::annotate                         the header ravel/annotate.h
#   ravel_instrument(<target>...)           compiles and links the targets so that ravel can record them; nothing to do
#                                           if the compiler is ravel-c++ already
#   ravel_add_test(NAME <name> COMMAND <program or target> [<argument>...]
#                  [OPTIONS <option of ravel run>...])
#                                           a test that fails if the program fails or ravel has a finding
#   RAVEL_EXECUTABLE, RAVEL_CC, RAVEL_CXX   the programs
#
# The file finds everything from where it lies: <prefix>/lib/cmake/ravel/.
cmake_minimum_required(VERSION 3.13)

get_filename_component(_ravel_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(RAVEL_EXECUTABLE "${_ravel_prefix}/bin/ravel")
set(RAVEL_CC "${_ravel_prefix}/bin/ravel-cc")
set(RAVEL_CXX "${_ravel_prefix}/bin/ravel-c++")
set(RAVEL_RUNTIME_DIR "${_ravel_prefix}/lib/ravel")
if(NOT EXISTS "${RAVEL_RUNTIME_DIR}/libravel_rt.so")
  set(RAVEL_RUNTIME_DIR "${_ravel_prefix}/lib") # ravel's build tree
endif()

if(NOT TARGET ravel::annotate)
  add_library(ravel::annotate INTERFACE IMPORTED)
  set_target_properties(ravel::annotate PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_ravel_prefix}/include")
endif()

function(ravel_instrument)
  foreach(target IN LISTS ARGN)
    _ravel_instrument(${target})
  endforeach()
endfunction()

function(_ravel_instrument target)
  # Not by linking ravel::annotate: that would bind the project to one of target_link_libraries' two signatures.
  get_target_property(include ravel::annotate INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(${target} PRIVATE "${include}")
  foreach(language C CXX)
    get_filename_component(compiler "${CMAKE_${language}_COMPILER}" NAME)
    if(compiler MATCHES "^ravel-c")
      return()
    endif()
  endforeach()

  # What the wrappers do, for compilers that know nothing of it (docs/compiling.md); steps are separate here, so
  # ThreadSanitizer's runtime does not come in by itself.
  set(clang "$<OR:$<COMPILE_LANG_AND_ID:C,Clang>,$<COMPILE_LANG_AND_ID:CXX,Clang>>")
  set(gcc "$<OR:$<COMPILE_LANG_AND_ID:C,GNU>,$<COMPILE_LANG_AND_ID:CXX,GNU>>")
  set(either "$<COMPILE_LANGUAGE:C,CXX>")
  target_compile_options(${target} BEFORE PRIVATE
    "$<${either}:-g1>" "$<${either}:-fsanitize=thread>" "$<${gcc}:-Wno-tsan>"
    "$<${clang}:SHELL:-mllvm -tsan-instrument-read-before-write>")
  foreach(language C CXX)
    string(REGEX MATCH "^[0-9]+" version "${CMAKE_${language}_COMPILER_VERSION}")
    set(plugin "${RAVEL_RUNTIME_DIR}/ravel_clang${version}.so")
    if(CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND EXISTS "${plugin}")
      target_compile_options(${target} BEFORE PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:-fpass-plugin=${plugin}>")
    endif()
  endforeach()
  # Public: a program that uses an instrumented library needs the runtime, too, before its other libraries.
  target_link_options(${target} BEFORE PUBLIC
    "LINKER:--push-state,--no-as-needed,${RAVEL_RUNTIME_DIR}/libravel_rt.so,--pop-state,-rpath,${RAVEL_RUNTIME_DIR}")
endfunction()

function(ravel_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;WORKING_DIRECTORY" "COMMAND;OPTIONS")
  if(NOT test_NAME OR NOT test_COMMAND OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ravel_add_test(NAME <name> COMMAND <command> [<argument>...] [OPTIONS <option>...])")
  endif()
  list(GET test_COMMAND 0 program)
  list(REMOVE_AT test_COMMAND 0)
  if(TARGET ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(where)
  if(test_WORKING_DIRECTORY)
    set(where WORKING_DIRECTORY "${test_WORKING_DIRECTORY}")
  endif()
  add_test(NAME "${test_NAME}" COMMAND "${RAVEL_EXECUTABLE}" run ${test_OPTIONS} -- "${program}" ${test_COMMAND} ${where})
endfunction()

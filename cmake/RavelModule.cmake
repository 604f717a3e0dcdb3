# A module is one folder of sources and one library ravel_<name>.
#
# The libraries are OBJECT libraries: analyses and commands register themselves from static initialisers, and a linker
# drops an archive member nobody names. CMake hands on only the objects of libraries that are linked directly, so
# ravel_link() works out the modules behind the named ones.

# ravel_module(<name> [<module it may include>...])
#
# The sources are src/<name>/**.cpp, but for folders with a CMakeLists.txt of their own; a new file needs no edit here.
# A folder without any (yet) makes a library of headers. The list of modules is the layering rule that scripts/layers
# reads, so keep each call on one line.
function(ravel_module name)
  ravel_library(${name} "${CMAKE_SOURCE_DIR}/src/${name}" ${ARGN})
endfunction()

# ravel_library(<name> <folder> [<module>...]): the same for any folder.
function(ravel_library name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  # main() stays out, or no test of the module could link its objects.
  list(REMOVE_ITEM sources "${folder}/main.cpp")
  # Nor a folder that says itself how it is built.
  file(GLOB_RECURSE others CONFIGURE_DEPENDS "${folder}/CMakeLists.txt")
  foreach(other IN LISTS others)
    cmake_path(GET other PARENT_PATH other)
    file(GLOB_RECURSE theirs "${other}/*.cpp")
    list(REMOVE_ITEM sources ${theirs})
  endforeach()
  if(sources)
    add_library(ravel_${name} OBJECT ${sources})
    set(scope PUBLIC)
  else()
    add_library(ravel_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  # The fuzz build compiles only what its targets use.
  set_target_properties(ravel_${name} PROPERTIES EXCLUDE_FROM_ALL ${RAVEL_FUZZ})
  target_link_libraries(ravel_${name} ${scope} ravel_settings ravel_dependencies)

  set(closure ${name})
  foreach(dependency IN LISTS ARGN)
    get_property(behind GLOBAL PROPERTY RAVEL_CLOSURE_${dependency})
    if(NOT behind)
      message(FATAL_ERROR "module ${name} wants ${dependency}, which is not declared above it")
    endif()
    list(APPEND closure ${behind})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY RAVEL_CLOSURE_${name} ${closure})
endfunction()

# ravel_link(<target> <module>...): links the modules and every module behind them.
function(ravel_link target)
  set(all)
  foreach(module IN LISTS ARGN)
    get_property(behind GLOBAL PROPERTY RAVEL_CLOSURE_${module})
    list(APPEND all ${behind})
  endforeach()
  list(REMOVE_DUPLICATES all)
  list(TRANSFORM all PREPEND ravel_)
  target_link_libraries(${target} PRIVATE ${all} ravel_settings ravel_dependencies)
endfunction()

# ravel_modules_named_in(<variable> <file>...): the modules whose headers the files include. Tests and benchmarks may
# use any module; this way they link what they use and a build of one of them stays small. CMake runs again when one of
# the files changes, so a new #include is enough.
function(ravel_modules_named_in variable)
  set(modules)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(STRINGS "${file}" includes REGEX "^#include \"[a-z_]+/")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"([a-z_]+)/.*" "\\1" module "${include}")
      if(TARGET ravel_${module})
        list(APPEND modules ${module})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES modules)
  set(${variable} ${modules} PARENT_SCOPE)
endfunction()

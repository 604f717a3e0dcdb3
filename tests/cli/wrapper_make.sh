# make's built-in rules and CMake, with the wrappers as CC and CXX: nothing in the project knows of ravel.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"

mkdir project && mv main.cpp add.cpp count.c project && cd project
printf '%s\n' 'all: p count' 'p: main.o add.o' $'\t$(CXX) $(LDFLAGS) $^ -o $@' 'main.o: main.cpp' \
  $'\t$(CXX) $(CXXFLAGS) -c $< -o $@' >Makefile
for compiler in "${compilers[@]}"; do
  rm -f p count ./*.o
  expect 0 make CC="$cc --ravel-compiler=$compiler" CXX="$cxx --ravel-compiler=$compiler" LDFLAGS=-Wl,--as-needed
  for program in p count; do
    ours $program
    hooked ./$program
  done

  # Static and shared libraries, C and C++ in one program, linked with a check for undefined symbols; then installed.
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(p C CXX)
find_package(Threads REQUIRED)
set(CMAKE_SHARED_LINKER_FLAGS "-Wl,-z,defs")
add_library(add_shared SHARED add.cpp)
add_library(add_static STATIC add.cpp)
add_executable(p_shared main.cpp)
target_link_libraries(p_shared add_shared Threads::Threads)
add_executable(p_static main.cpp)
target_link_libraries(p_static add_static)
add_executable(p_c count.c)
install(TARGETS p_shared add_shared)
END
  expect 0 env CC="$cc" CXX="$cxx" RAVEL_COMPILER="$compiler" cmake -S . -B "build-$compiler" -G Ninja \
    -D CMAKE_INSTALL_PREFIX="$PWD/installed"
  RAVEL_COMPILER=$compiler expect 0 cmake --build "build-$compiler"
  for program in p_shared p_static p_c; do
    ours "build-$compiler/$program"
    hooked "build-$compiler/$program"
  done
  ours "build-$compiler/libadd_shared.so"
  expect 0 cmake --install "build-$compiler"
  ours installed/bin/p_shared
  LD_LIBRARY_PATH=installed/lib hooked installed/bin/p_shared
done

# What other projects see of ravel: the installed wrappers, the CMake package, the pkg-config file and the header.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"
unset RAVEL_RUNTIME_DIR

expect 0 cmake --install "$(dirname "$bin")" --prefix "$TMP/away"
# It may be moved as a whole.
mv away prefix
stand_in prefix/lib/ravel

# The installed wrapper finds the runtime by itself.
expect 0 prefix/bin/ravel-c++ main.cpp add.cpp -o p
ours p
hooked ./p
[[ $(readelf -d p) == *"$TMP/prefix/lib/ravel"* ]] || fail 'runpath'

# The header, from C and C++, with the runtime, without it, and switched off.
cat >units.c <<'END'
#include <ravel/annotate.h>
int main(void) {
  int x = 0;
  RAVEL_UNIT_BEGIN("deposit");
  RAVEL_HAPPENS_BEFORE(&x);
  RAVEL_HAPPENS_AFTER(&x);
  RAVEL_BENIGN_RACE(&x, sizeof x, "only a test");
  RAVEL_UNIT_END("deposit");
#ifdef __cplusplus
  RAVEL_UNIT("withdraw");
  RAVEL_UNIT("nested");
#endif
  return x;
}
END
cp units.c units.cpp
export PKG_CONFIG_PATH=$TMP/prefix/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags ravel)"
expect 0 gcc -std=c99 -Wall -Wextra -Wpedantic -Werror "${flags[@]}" units.c -o plain_units
plain plain_units
expect 0 ./plain_units
expect 0 g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "${flags[@]}" units.cpp -o plain_units
expect 0 ./plain_units
expect 0 gcc -DRAVEL_NO_ANNOTATIONS "${flags[@]}" -c units.c
if nm units.o | grep -q ravel_; then fail 'annotations in spite of RAVEL_NO_ANNOTATIONS'; fi
expect 0 "$(pkg-config --variable=cc ravel)" "${flags[@]}" units.c -o units
hooked ./units
[[ $(<hooks) == *' deposit' ]] || fail 'the mark did not reach the runtime'
expect 0 "$(pkg-config --variable=cxx ravel)" -std=c++11 "${flags[@]}" units.cpp -o units
hooked ./units
[[ $(<hooks) == *' nested' ]] || fail 'the mark did not reach the runtime'

# The CMake package: some targets instrumented by an ordinary compiler, through libraries of each kind.
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(user C CXX)
enable_testing()
find_package(ravel 0.1 REQUIRED)
add_library(add_shared SHARED add.cpp)
add_library(add_static STATIC add.cpp)
add_library(add_plain SHARED add.cpp)
foreach(kind shared static plain)
  add_executable(${kind} main.cpp)
  target_link_libraries(${kind} add_${kind})
endforeach()
add_executable(units units.cpp)
ravel_instrument(add_shared add_static static units)
ravel_add_test(NAME check_units COMMAND units one "two three" OPTIONS --fail-on observed)
END
for compiler in g++ "${compilers[-1]}"; do
  build=build-$compiler
  expect 0 cmake -S . -B "$build" -G Ninja -D CMAKE_PREFIX_PATH="$TMP/prefix" -D CMAKE_CXX_COMPILER="$compiler"
  expect 0 cmake --build "$build"
  ours "$build/libadd_shared.so"
  for program in shared static units; do
    ours "$build/$program"
    hooked "$build/$program"
  done
  plain "$build/libadd_plain.so"
  plain "$build/plain"
done
# The plugin of that clang, if ravel has one, is installed and used as the wrappers use it.
if [[ -e $bin/../lib/ravel_clang19.so && $compiler == clang++-19 ]]; then
  grep -q -- "-fpass-plugin=$TMP/prefix/lib/ravel/ravel_clang19.so" "$build/build.ninja" || fail 'no plugin'
  expect 0 prefix/bin/ravel-c++ --ravel-compiler="$compiler" --ravel-print-command -c main.cpp
  out_has "-fpass-plugin=$TMP/prefix/lib/ravel/ravel_clang19.so"
fi
if grep -q -- -fpass-plugin build-g++/build.ninja; then fail 'a plugin for g++'; fi
expect 0 ctest --test-dir build-g++ -N -V
out_has "$TMP/prefix/bin/ravel \"run\" \"--fail-on\" \"observed\" \"--\" \"$TMP/build-g++/units\" \"one\" \"two three\""

# With a wrapper as the compiler there is nothing left to do.
expect 0 cmake -S . -B build-ours -G Ninja -D CMAKE_PREFIX_PATH="$TMP/prefix" \
  -D CMAKE_CXX_COMPILER="$TMP/prefix/bin/ravel-c++" -D CMAKE_C_COMPILER="$TMP/prefix/bin/ravel-cc"
if grep -q tsan build-ours/build.ninja; then fail 'instrumented twice'; fi

# Ravel's build tree is a package as well.
expect 0 cmake -S . -B build-tree -G Ninja -D ravel_DIR="$bin/../lib/cmake/ravel"

# ccache in front of a wrapper: the second compilation is a hit, another compiler is a miss.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"
unset RAVEL_COMPILER "${!CCACHE_@}"
export CCACHE_DIR=$TMP/cache CCACHE_CONFIGPATH=$TMP/ccache.conf
: >"$CCACHE_CONFIGPATH"

hits() { ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ { sum += $2 } END { print sum + 0 }'; }
# hit/miss COMMAND...: and the object is the one this compiler makes.
hit() {
  local before
  before=$(hits)
  expect 0 ccache "$@"
  [[ $(hits) == $((before + 1)) ]] || fail "no hit: $*"
  instrumented add.o
}
miss() {
  local before
  before=$(hits)
  expect 0 ccache "$@"
  [[ $(hits) == "$before" ]] || fail "a hit: $*"
  instrumented add.o
}
producer() { readelf -p .comment add.o; }

miss "$cxx" -c add.cpp
hit "$cxx" -c add.cpp
[[ $(producer) == *GCC* ]] || fail 'producer'
miss "$cxx" -O2 -c add.cpp
other=${compilers[-1]}
if [[ $other == clang* ]]; then
  miss "$cxx" --ravel-compiler="$other" -c add.cpp
  [[ $(producer) == *clang* ]] || fail 'producer'
  hit "$cxx" --ravel-compiler="$other" -c add.cpp
  hit "$cxx" -c add.cpp
  [[ $(producer) == *GCC* ]] || fail 'producer'

  # The environment is nothing ccache looks at; what it is told to ask the wrapper is.
  export CCACHE_COMPILERCHECK='%compiler% --ravel-identity'
  miss "$cxx" -c add.cpp
  RAVEL_COMPILER=$other miss "$cxx" -c add.cpp
  [[ $(producer) == *clang* ]] || fail 'producer'
  RAVEL_COMPILER=$other hit "$cxx" -c add.cpp
  hit "$cxx" -c add.cpp
  [[ $(producer) == *GCC* ]] || fail 'producer'
  unset CCACHE_COMPILERCHECK
fi

# As CMake's launcher.
printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(p CXX)' 'add_executable(p main.cpp add.cpp)' >CMakeLists.txt
for build in one two; do
  before=$(hits)
  expect 0 cmake -S . -B $build -G Ninja -D CMAKE_CXX_COMPILER="$cxx" -D CMAKE_CXX_COMPILER_LAUNCHER=ccache
  expect 0 cmake --build $build
  ours $build/p
  hooked $build/p
done
[[ $(hits) == $((before + 2)) ]] || fail 'the second build compiled'

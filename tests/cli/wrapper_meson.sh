# meson, with the wrappers as CC and CXX.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"
command -v meson >/dev/null || fail 'meson is missing (scripts/packages)'

cat >meson.build <<'END'
project('p', 'c', 'cpp')
library = shared_library('add', 'add.cpp')
executable('p', 'main.cpp', link_with: library, dependencies: dependency('threads'))
executable('c', 'count.c')
END
for compiler in "${compilers[@]}"; do
  export RAVEL_COMPILER=$compiler
  CC=$cc CXX=$cxx expect 0 meson setup "build-$compiler"
  expect 0 ninja -C "build-$compiler"
  for file in p c libadd.so; do ours "build-$compiler/$file"; done
  hooked "build-$compiler/p"
  hooked "build-$compiler/c"
done

# What the tests of the compiler wrappers share. They check what is compiled and linked, not what the runtime makes of it,
# so a stand-in takes the runtime's place: it counts the calls of the compiler's hooks, and says at exit how many there
# were in the file that HOOKS names.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

bin=$(dirname "$RAVEL")
cc=$bin/ravel-cc
cxx=$bin/ravel-c++
: >"$TMP/out" >"$TMP/err"

# stand_in DIR: a runtime folder there. Counting is all it does, so programs of these tests use no atomics.
stand_in() {
  mkdir -p "$1"
  {
    printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' 'static int hooks;'
    for hook in init func_entry func_exit vptr_update vptr_read read_range write_range \
      {read,write,read_write,unaligned_read,unaligned_write}{1,2,4,8,16}; do
      printf 'void __tsan_%s(void) { ++hooks; }\n' "$hook"
    done
    printf '%s\n' 'const char* ravel_unit = "none";' 'void ravel_unit_begin(const char* label) { ravel_unit = label; }' \
      '__attribute__((destructor)) static void end(void) {' \
      '  const char* name = getenv("HOOKS");' '  FILE* file = name ? fopen(name, "w") : NULL;' \
      '  if (file) { fprintf(file, "%d %s\n", hooks, ravel_unit); fclose(file); }' '}'
  } >"$TMP/stand_in.c"
  gcc -shared -fPIC -Wl,-soname,libravel_rt.so "$TMP/stand_in.c" -o "$1/libravel_rt.so"
  cp -a "$bin/../lib/instead-of-libtsan" "$1"
}

export RAVEL_RUNTIME_DIR=$TMP/runtime
stand_in "$RAVEL_RUNTIME_DIR"

# The compilers the wrappers serve, as far as they are here.
compilers=()
for name in g++ clang++-14 clang++-19; do
  if command -v "$name" >/dev/null; then compilers+=("$name"); fi
done

# instrumented OBJECT: the compiler inserted the calls.
instrumented() { nm "$1" | grep -q ' U __tsan_func_entry' || fail "not instrumented: $1"; }
plain() { if nm "$1" | grep -q __tsan_; then fail "instrumented: $1"; fi; }

# ours FILE: a program or library that needs our runtime, before any other library, and nothing of ThreadSanitizer's.
ours() {
  local needed
  needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  [[ $(head -1 <<<"$needed") == libravel_rt.so ]] || fail "$1 needs first: $(head -1 <<<"$needed")"
  [[ $needed != *tsan* ]] || fail "$1 needs libtsan"
  if nm "$1" | grep -q ' [Tt] __tsan_'; then fail "$1 holds ThreadSanitizer's runtime"; fi
}

# hooked COMMAND...: it succeeds, without any help to find its libraries, and calls hooks.
hooked() {
  rm -f "$TMP/hooks"
  HOOKS=$TMP/hooks expect 0 "$@"
  [[ $(cut -d' ' -f1 "$TMP/hooks") -gt 1 ]] || fail "no hooks called: $*"
}

# A C and a C++ program, and a library.
printf '%s\n' 'int x;' 'int main(void) {' '  x++;' '  return x - 1;' '}' >count.c
printf '%s\n' '#include <cstdio>' 'int add(int* v);' 'int main() {' '  int* v = new int[2]{1, 2};' \
  '  std::printf("%d\n", add(v));' '  delete[] v;' '}' >main.cpp
printf '%s\n' 'int add(int* v) {' '  v[0] += v[1];' '  return v[0];' '}' >add.cpp

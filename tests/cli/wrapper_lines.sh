# Every kind of line a build may come up with: compiled code calls the hooks, what is linked needs our runtime first and
# libtsan never, and the rest is the compiler's business.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"

for compiler in "${compilers[@]}"; do
  export RAVEL_COMPILER=$compiler

  # One step, several sources, two steps.
  expect 0 "$cc" -Wall -Werror count.c -o p
  [[ ! -s err ]] || fail 'something to say'
  ours p
  hooked ./p
  expect 0 "$cxx" -Werror -O2 main.cpp add.cpp -o p
  ours p
  hooked ./p
  [[ $(<out) == 3 ]] || fail 'output'
  expect 0 "$cxx" -Werror -c main.cpp add.cpp
  instrumented main.o && instrumented add.o
  expect 0 "$cxx" -Werror main.o add.o -o p
  [[ ! -s err ]] || fail 'something to say'
  ours p
  hooked ./p

  # Names and lines without -g; the user's -g options count.
  readelf -S add.o | grep -q debug_line || fail 'no lines'
  expect 0 "$cxx" -g0 -c add.cpp -o bare.o
  if readelf -S bare.o | grep -q debug_line; then fail 'lines in spite of -g0'; fi

  # Fences are no reason to complain.
  printf '%s\n' '#include <atomic>' 'void f() {' '  std::atomic_thread_fence(std::memory_order_release);' '}' >fence.cpp
  expect 0 "$cxx" -Wall -Werror -c fence.cpp

  # Steps by themselves: preprocessed and assembler code, standard input, a forced language, a precompiled header.
  expect 0 "$cxx" -Werror -E add.cpp -o add.ii
  expect 0 "$cxx" -Werror -S add.ii -o add.s
  grep -q __tsan_read4 add.s || fail 'preprocessed code is not instrumented'
  expect 0 "$cxx" -Werror -c add.s -o add.o
  instrumented add.o
  expect 0 "$cxx" -g -S add.cpp -o add.s
  expect 0 "$cxx" -g -Werror -c add.s -o add.o
  expect 0 "$cxx" -Werror -c -x c++ - -o add.o <add.cpp
  instrumented add.o
  cp add.cpp add.txt
  expect 0 "$cxx" -Werror -c -x c++ add.txt -o add.o
  instrumented add.o
  expect 0 "$cc" -Werror -M count.c
  out_has 'count.o: count.c'
  expect 0 "$cc" -Werror -MD -MF count.d count.c -o p
  out=$(<count.d)
  [[ $out == *count.c* ]] || fail 'dependencies'
  echo 'int f(void);' >f.h
  expect 0 "$cc" -Werror f.h -o f.h.gch
  [[ -s f.h.gch ]] || fail 'no precompiled header'

  # Libraries.
  expect 0 "$cxx" -Werror -shared -fPIC -Wl,-z,defs add.cpp -o libadd.so
  ours libadd.so
  expect 0 "$cxx" -Werror -shared -fPIC -Wl,--no-undefined -Wl,--as-needed add.cpp -o libadd.so
  ours libadd.so
  # As libtool links C++ libraries.
  expect 0 "$cxx" -c -fPIC add.cpp -o add.o
  expect 0 "$cxx" -shared -nostdlib add.o -lstdc++ -lc -Wl,-z,defs -o libadd.so
  ours libadd.so
  expect 0 "$cxx" -Wl,--as-needed main.cpp -L. -ladd -Wl,-rpath,"$PWD" -o p
  ours p
  hooked ./p
  ar rcs libadd.a add.o
  expect 0 "$cxx" -shared -o libadd2.so -Wl,--whole-archive,libadd.a,--no-whole-archive
  ours libadd2.so

  # A relocatable object is no place for a library.
  expect 0 "$cxx" -r -nostdlib add.o main.o -o both.o
  instrumented both.o
  expect 0 "$cxx" -nostdlib -no-pie -Wl,-r add.o main.o -o both.o

  # Response files, with quotes.
  mkdir -p 'a b'
  cp main.cpp 'a b/m"n.cpp'
  printf '%s\n' '"a b/m\"n.cpp" -c' "-o 'a b'/m.o" >args
  expect 0 "$cxx" @args
  instrumented 'a b/m.o'
  printf '%s\n' "'a b/m.o' add.o -o p --ravel-compiler=$compiler" >args
  RAVEL_COMPILER=/nowhere expect 0 "$cxx" @args
  ours p

  # Other linkers and link-time optimization; a user's -L where libtsan is.
  for linker in bfd gold lld; do
    can_link "$compiler" -fuse-ld=$linker || continue
    expect 0 "$cxx" -Werror -fuse-ld=$linker main.cpp add.cpp -o p
    ours p
    hooked ./p
  done
  lto=(-flto -O2)
  if [[ $compiler == clang* ]]; then lto+=(-fuse-ld=lld); fi
  if can_link "$compiler" "${lto[@]}"; then
    expect 0 "$cxx" "${lto[@]}" -c main.cpp add.cpp
    expect 0 "$cxx" "${lto[@]}" main.o add.o -o p
    ours p
    hooked ./p
  fi
  expect 0 "$cxx" -L"$(dirname "$(g++ -print-file-name=libtsan.so)")" main.cpp add.cpp -o p
  ours p

  # The user's own sanitizer options.
  expect 0 "$cxx" -fsanitize=thread -c main.cpp
  instrumented main.o
  expect 0 "$cxx" -Werror -fsanitize=thread main.cpp add.cpp -o p
  ours p
  expect 0 "$cxx" -fsanitize=thread -static-libtsan main.o add.cpp -o p
  ours p
  expect 0 "$cxx" -c -fno-sanitize=thread add.cpp -o plain.o
  plain plain.o
  if [[ $compiler == g++ ]] || compgen -G "$("$compiler" -print-resource-dir)/lib/*/*ubsan_standalone*" >/dev/null; then
    printf '%s\n' 'int x = 2147483647;' 'int main(int count, char** arguments) {' '  x += count;' '}' >over.cpp
    expect 0 "$cxx" -fsanitize=undefined over.cpp -o p
    ours p
    hooked ./p
    err_has 'signed integer overflow'
    expect 0 "$cxx" -fsanitize=undefined,thread -c over.cpp
    expect 0 "$cxx" -fsanitize=undefined,thread over.o -o p
    ours p
    hooked ./p
    err_has 'signed integer overflow'
  fi
  expect 0 "$cxx" -static-libstdc++ -static-libgcc main.cpp add.cpp -o p
  ours p
  hooked ./p

  # The compiler's answers, messages and codes are its own.
  for question in --version -dumpmachine -print-search-dirs -dumpversion --help; do
    "$compiler" $question >want
    expect 0 "$cxx" $question
    cmp out want || fail "$question"
  done
  code=0
  "$compiler" >want 2>&1 || code=$?
  expect "$code" "$cxx"
  diff err want || fail 'no input'
  echo 'int f( {' >wrong.cpp
  code=0
  "$compiler" -c wrong.cpp 2>want || code=$?
  expect "$code" "$cxx" -c wrong.cpp
  cmp err want || fail 'messages'
  expect 0 "$cxx" -v -c add.cpp
  err_has thread
done

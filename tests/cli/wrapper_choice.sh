# Which compiler is behind a wrapper, and what the wrappers refuse.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"
unset RAVEL_COMPILER

# first ARGUMENTS...: the compiler that would be run.
first() {
  expect 0 "$@" --ravel-print-command -c x.c
  head -1 out
}
[[ $(first "$cxx") == */g++ ]] || fail 'default for C++'
[[ $(first "$cc") == */gcc ]] || fail 'default for C'
[[ $(first "$cc" --ravel-compiler=g++) == */gcc ]] || fail 'partner'
[[ $(RAVEL_COMPILER=gcc first "$cxx") == */g++ ]] || fail 'environment'
# A made-up compiler: a name that tells nothing, asked what it is.
mkdir tools
printf '%s\n' '#!/bin/sh' 'echo "#define __clang__ 1"' >tools/mystery
chmod +x tools/mystery
[[ $(first "$cxx" --ravel-compiler=tools/mystery) == tools/mystery ]] || fail 'path'
out_has -fno-sanitize-link-runtime
[[ $(RAVEL_COMPILER=tools/mystery first "$cxx" --ravel-compiler=g++) == */g++ ]] || fail 'the option wins'

# A wrapper that goes by the compiler's name on the PATH finds the compiler behind it, not itself.
ln -s "$cxx" tools/g++
expect 0 env PATH="$PWD/tools:$PATH" g++ --ravel-print-command -c x.cpp
[[ $(head -1 out) != "$PWD"/tools/* ]] || fail 'the wrapper finds itself'
expect 0 env PATH="$PWD/tools:$PATH" g++ -c add.cpp
instrumented add.o

# The same through ravel itself, arguments untouched.
expect 0 "$RAVEL" c++ -c add.cpp -o 'a b.o'
instrumented 'a b.o'
expect 0 "$RAVEL" cc --version
gcc --version | cmp - out || fail 'ravel cc --version'
expect 0 "$RAVEL" cc --ravel-print-command -c tiddle -- --help
[[ $(tail -4 out | paste -sd' ') == '-c tiddle -- --help' ]] || fail 'arguments changed'

refuse "ravel-c++: -fsanitize=address cannot be combined with ravel" "$cxx" -fsanitize=undefined,address -c add.cpp
refuse 'ravel-cc: -fsanitize=leak cannot be combined' "$cc" -fsanitize=leak count.o
refuse 'ravel-cc: a static program cannot be observed' "$cc" -static count.c
refuse 'ravel-cc: a static program cannot be observed' "$cc" count.c -static-pie -o p
expect 0 "$cc" -static -c count.c
refuse "ravel-c++: cannot find the compiler 'no-such-g++'" "$cxx" --ravel-compiler=no-such-gcc -c add.cpp
refuse "own wrapper" "$cxx" --ravel-compiler="$cxx" -c add.cpp
refuse "unknown option '--ravel-nothing'" "$cxx" --ravel-nothing -c add.cpp
refuse 'no compiler found' env PATH=/nowhere "$cc" -c count.c
RAVEL_RUNTIME_DIR=/nowhere expect 70 "$cc" count.o
err_has 'libravel_rt.so is not in /nowhere'
mkdir incomplete && cp "$RAVEL_RUNTIME_DIR/libravel_rt.so" incomplete
RAVEL_RUNTIME_DIR=incomplete expect 70 "$cc" count.o
err_has 'not complete'
expect 0 "$cc" --ravel-help
out_has --ravel-compiler

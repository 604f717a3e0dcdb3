#!/bin/sh
# src/schedule/ runs inside the user's program: its objects may ask for each other and for the memory functions that every
# compiler assumes, and for nothing else: no operator new, no exceptions, no part of the C++ library.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d "${TMP:-/tmp}/freestanding.XXXXXX")
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-c++}
ccache=$(command -v ccache || true)

# What the objects in a directory ask for and do not have themselves, but for the functions that are allowed.
asks_for() {
  nm --defined-only "$1"/*.o | awk 'NF == 3 { print $3 }' | sort -u > "$1/defined"
  nm --undefined-only "$1"/*.o | awk 'NF == 2 { print $2 }' | sort -u > "$1/undefined"
  comm -13 "$1/defined" "$1/undefined" | grep -vxE 'mem(cpy|move|set|cmp)|bcmp|strlen|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail' || true
}

for level in -O0 -O2; do
  objects="$work/objects$level"
  mkdir "$objects"
  for source in "$root"/src/schedule/*.cpp; do
    ${ccache:+"$ccache"} "$cxx" -std=c++23 "$level" -fno-exceptions -fno-rtti -I"$root/src" -c "$source" \
      -o "$objects/$(basename "$source").o"
  done
  extra=$(asks_for "$objects")
  if [ -n "$extra" ]; then
    printf 'src/schedule asks for (%s):\n%s\n' "$level" "$extra" >&2
    exit 1
  fi
done

# The check must see what it is there to see.
mkdir "$work/wrong"
printf '#include <string>\nstd::string text(int n) { return std::string(n, 1); }\n' > "$work/wrong.cpp"
"$cxx" -std=c++23 -O0 -c "$work/wrong.cpp" -o "$work/wrong/wrong.o"
if [ -z "$(asks_for "$work/wrong")" ]; then
  echo "the check does not notice a std::string" >&2
  exit 1
fi

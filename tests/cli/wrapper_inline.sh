# clang 19 with ravel's plugin: programs look into the shadow by themselves, and what is recorded is the same.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
bin=$(dirname "$RAVEL")
cxx=$bin/ravel-c++
plugin=$bin/../lib/ravel_clang19.so
: >out >err
if [[ ! -e $plugin ]] || ! command -v clang++-19 >/dev/null; then
  echo 'no plugin, or no clang 19: nothing to test'
  exit 0
fi
export RAVEL_COMPILER=clang++-19

# calls OBJECT FUNCTION: what it calls of the runtime, but for its own entry and exit.
calls() {
  objdump -dr --no-show-raw-insn "$1" | awk -v name="<$2>:" '
    /^[0-9a-f]+ </ { inside = $2 == name; seen = seen || inside }
    /__tsan_func_/ { next }
    inside && match($0, /__(tsan|ravel)_[a-z0-9_]+/) { print substr($0, RSTART, RLENGTH) }
    END { if (!seen) print "no such function" }' | sort | uniq -c | awk '{ print $2 "*" $1 }' | paste -sd' '
}
# is OBJECT FUNCTION CALLS
is() {
  local found
  found=$(calls "$1" "$2")
  [[ $found == "$3" ]] || fail "$2 in $1 calls: $found"
}

cat >kinds.cpp <<'P'
struct V { virtual int f() noexcept; };
extern "C" {
int read4(int* p) { return *p; }
void write8(long* p) { *p = 1; }
int both(int* p, int* q) { return *p + *q; }
int unaligned(const char* p) { int x; __builtin_memcpy(&x, p, 4); return x; }
int pointer_to_table(V* v) { return v->f() + 1; }
int left_out(int*) __attribute__((no_sanitize("thread")));
int left_out(int* p) { return *p; }
int is_atomic(int* p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
__int128 wide(__int128* p) { return *p; }
__attribute__((naked)) void bare() { asm("ret"); }
__attribute__((target("avx2"))) double special(double* p) { return *p; }
}
P
kinds() {
  local i='__ravel_inline3'
  is "$1" read4 "${i}_read4*1 ${i}_thread*1"
  is "$1" write8 "${i}_thread*1 ${i}_write8*1"
  is "$1" both "${i}_read4*2 ${i}_thread*1"
  is "$1" unaligned "${i}_read4*1 ${i}_thread*1"
  is "$1" pointer_to_table "${i}_read8*1 ${i}_thread*1"
  is "$1" left_out ''
  is "$1" is_atomic "__tsan_atomic32_load*1"
  is "$1" wide "__tsan_read16*1"
  is "$1" bare ''
  is "$1" special "${i}_read8*1 ${i}_thread*1"
}
for level in -O1 -O2 -O3 -Os; do
  expect 0 "$cxx" -Werror $level -c kinds.cpp
  kinds kinds.o
done
expect 0 "$cxx" -Werror -O2 -fsanitize=undefined -fno-sanitize=alignment,null,vptr -c kinds.cpp
kinds kinds.o
# Without optimisation, and if asked to, the calls stay; files may be left out.
expect 0 "$cxx" -Werror -O0 -c kinds.cpp
is kinds.o read4 '__tsan_read4*1'
expect 0 "$cxx" -Werror -O2 --ravel-no-inline -c kinds.cpp
is kinds.o read4 '__tsan_read4*1'
expect 0 "$cxx" -Werror -O2 -fno-sanitize=thread -c kinds.cpp
if nm kinds.o | grep -qE '__(tsan|ravel)_'; then fail 'a file that is left out calls the runtime'; fi
# The compiler's other outputs.
expect 0 "$cxx" -Werror -O2 -S kinds.cpp -o kinds.s
grep -q __ravel_inline3_read4 kinds.s || fail 'assembler code'
expect 0 "$cxx" -Werror -O2 -S -emit-llvm kinds.cpp -o kinds.ll
grep -q 'call preserve_mostcc void @__ravel_inline3_read4' kinds.ll || fail 'intermediate code'
expect 0 "$cxx" -Werror -E kinds.cpp
expect 0 "$cxx" -Werror -O2 -x c++-header kinds.cpp -o kinds.h.pch
echo 'int other(int* p) { return *p; }' >other.cpp
expect 0 "$cxx" -Werror -O2 -include-pch kinds.h.pch -c other.cpp -o kinds.o
kinds kinds.o

# Who caches objects must know of the plugin.
expect 0 "$cxx" --ravel-identity
out_has ravel_clang19.so
expect 0 "$cxx" --ravel-compiler=g++ --ravel-print-command -O2 -c kinds.cpp
! grep -q -- -fpass-plugin out || fail 'a plugin for g++'

# What a program fetches ahead: its words of the shadow are fetched, too.
printf 'int f(int* p) { __builtin_prefetch(p + 64); return *p; }\n' >ahead.cpp
expect 0 "$cxx" -O2 -S -emit-llvm ahead.cpp -o ahead.ll
[[ $(grep -c 'call void @llvm.prefetch' ahead.ll) == 5 ]] || fail 'shadow is not fetched'
expect 0 "$cxx" -O2 --ravel-no-inline -S -emit-llvm ahead.cpp -o ahead.ll
[[ $(grep -c 'call void @llvm.prefetch' ahead.ll) == 1 ]] || fail 'shadow is fetched for nobody'

# The same events by every filter: accesses of all sizes at all offsets, thread by thread.
cat >events.cpp <<'P'
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
alignas(16) char bytes[64];
int counter;
double numbers[8];
struct Base { virtual ~Base() = default; virtual int f() { return counter++; } long a = 1; short b = 2; };
struct Derived : Base { int f() override { return ++b; } };
Base* object;
template <typename T>
__attribute__((noinline)) T shift(int at) {
  T x;
  std::memcpy(&x, bytes + at, sizeof x);
  x = T(x + 1);
  std::memcpy(bytes + at, &x, sizeof x);
  return x;
}
__attribute__((noinline)) void work(int* sum) {
  for (int i = 0; i < 20; ++i) {
    shift<std::uint8_t>(i);
    shift<std::uint16_t>(i);
    shift<std::uint32_t>(i);
    shift<std::uint64_t>(i);
  }
  for (double& number : numbers) number = number * 2 + 1;
  for (int i = 0; i < 4; ++i) sum[i] += object->f();
  if (sum[0] != counter) counter = sum[1];
  else counter = sum[2];
}
int sums[4];
Derived derived;
std::atomic<bool> done;
int main() {
  object = &derived;
  work(sums);
  // One after the other, but not ordered: what is ordered the owner filter drops.
  std::thread other([] {
    work(sums);
    done.store(true, std::memory_order_relaxed);
  });
  while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
  work(sums);
  other.join();
}
P
for level in -O1 -O2 -O3; do
  expect 0 "$cxx" -g $level -no-pie events.cpp -o inlined
  expect 0 "$cxx" -g $level -no-pie --ravel-no-inline events.cpp -o called
  nm inlined | grep -q __ravel_inline3_write8 || fail 'not inlined'
  if nm called | grep -q __ravel_inline; then fail 'inlined'; fi
  for options in --filter=owner --filter=segment --filter=none '--schedule=random --seed=3 --switch-at=all'; do
    for program in inlined called; do
      # shellcheck disable=SC2086
      expect 0 "$RAVEL" record -q $options -o $program.rvl -- ./$program
      expect 0 "$RAVEL" convert -q $program.rvl $program.tid
      # Variables by their names: where they lie is the linker's business. What else is accessed lies elsewhere each time.
      nm $program | awk 'NF == 3 && $2 ~ /^[BbDd]$/ { print $1, $3 }' >symbols
      python3 - $program.tid >$program.events <<'P'
import re, sys
symbols = sorted((int(line.split()[0], 16), line.split()[1]) for line in open("symbols"))
for line in open(sys.argv[1]):
    found = re.match(r"((?:rd|wr) \S+ )0x([0-9a-f]+)(\S*)", line)
    if not found or int(found[2], 16) > symbols[-1][0] + 64: continue
    address = int(found[2], 16)
    at, name = max(symbol for symbol in symbols if symbol[0] <= address)
    print(f"{found[1]}{name}+{address - at}{found[3]}")
P
    done
    [[ $(wc -l <inlined.events) -gt 20 ]] || fail "few events: $options"
    cmp inlined.events called.events || fail "$level $options: events differ"
  done
done

# Each access has its place, also where the compiler would like to share code.
cat >places.cpp <<'P'
#include <thread>
int x, y;
__attribute__((noinline)) void work(bool first) {
  if (first)
    x = 1;
  else
    x = 2;
  if (x == 1)
    y = x + 1;
  else
    y = x + 2;
}
int main() {
  std::thread a(work, true), b(work, false);
  a.join();
  b.join();
}
P
for level in -O1 -O2 -O3; do
  for option in --ravel-no-inline ''; do
    expect 0 "$cxx" -g $level $option places.cpp -o program
    expect 0 "$RAVEL" record -q --schedule=round-robin -o places.rvl -- ./program
    expect 66 "$RAVEL" analyze places.rvl
    grep -oE '(read|write) by thread T[0-9]+ at .*places.cpp:[0-9]+, of [xy]' out | sort -u >"places$option"
  done
  [[ $(wc -l <places) -ge 4 ]] || fail 'few places'
  cmp places places--ravel-no-inline || fail "$level: places differ"
done

# Registers keep their values, whatever the runtime does at an access.
values=$RAVEL_SOURCE_DIR/tests/programs/correct/values_across_accesses.cpp
for options in -O1 -O2 '-O3 -mavx2' '-O2 -fno-pic -no-pie' '-O2 -flto' '-O2 -flto=thin -fuse-ld=lld' '-O2 -mcmodel=large' \
  '-O2 -fcf-protection=full' '-O2 -Wl,-z,lazy'; do
  if [[ $options == *avx2* ]] && ! grep -qw avx2 /proc/cpuinfo; then continue; fi
  # shellcheck disable=SC2086
  if [[ $options == *lld* ]] && ! can_link clang++-19 $options; then continue; fi
  # shellcheck disable=SC2086
  expect 0 "$cxx" -std=c++20 $options "$values" -o values
  if objdump -d values | grep -q 'call.*__tsan_read8'; then fail "$options: calls are left"; fi
  expect 0 ./values
  for filter in owner segment none; do
    expect 0 "$RAVEL" record -q --filter=$filter -o values.rvl -- ./values
  done
done

# A library in a host that knows nothing of it.
printf '%s\n' 'static int x;' 'extern "C" int work() {' '  x++;' '  return x;' '}' >library.cpp
expect 0 "$cxx" -O2 -shared -fPIC -Wl,-z,defs library.cpp -o library.so
nm -D library.so | grep -q __ravel_inline3_thread || fail 'not inlined'
expect 0 python3 -c 'import ctypes; assert ctypes.CDLL("./library.so").work() == 1'
expect 0 "$RAVEL" record -q -o library.rvl -- python3 -c 'import ctypes; assert ctypes.CDLL("./library.so").work() == 1'

# A runtime of another kind is refused, not misunderstood.
mkdir other && sed 's/inline3/inline0/g' "$bin/../lib/libravel_rt.so" >other/libravel_rt.so
cp -a "$bin/../lib/instead-of-libtsan" other
expect 0 "$cxx" -O2 -c "$values" -std=c++20 -o values.o
RAVEL_RUNTIME_DIR=$TMP/other expect 1 "$cxx" values.o -o values
err_has __ravel_inline3_

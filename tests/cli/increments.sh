# Both compilers tell of the same accesses where one statement reads and writes: clang by itself leaves out such reads.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

cat >increments.cpp <<'P'
int x, y, a[4];
#define KEEP __attribute__((noinline)) void
KEEP increment() { x++; }
KEEP add() { x += y; }
KEEP element(int i) { a[i]++; }
int main(int argc, char**) {
  increment();
  add();
  element(argc);
}
P

for compiler in g++ clang++-19; do
  for level in -O0 -O1 -O2; do
    "$(dirname "$RAVEL")/ravel-c++" --ravel-compiler=$compiler -g $level -no-pie increments.cpp -o increments
    "$RAVEL" record -q --filter none -o increments.rvl -- ./increments
    "$RAVEL" convert increments.rvl increments.tid 2>/dev/null
    accesses=$(python3 - <<'P'
import re, subprocess
names = {}
for line in subprocess.run(["nm", "increments"], capture_output=True, text=True).stdout.splitlines():
    words = line.split()
    if words[-1] in ("x", "y", "a"):
        names[int(words[0], 16) + (4 if words[-1] == "a" else 0)] = words[-1]  # it is a[1] that is accessed
words = [line.split() for line in open("increments.tid") if re.match("(rd|wr) ", line)]
print(" ".join(f"{kind}({names[int(target.split(':')[0], 16)]})" for kind, _, target, *_ in words))
P
    )
    # Which operand of the sum is read first is the compiler's choice.
    case $accesses in
      "rd(x) wr(x) rd(x) rd(y) wr(x) rd(a) wr(a)") ;;
      "rd(x) wr(x) rd(y) rd(x) wr(x) rd(a) wr(a)") ;;
      *) fail "$compiler $level: $accesses" ;;
    esac
  done
done

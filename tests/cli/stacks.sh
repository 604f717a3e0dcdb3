# Both sides of a race have their calls, also the side that is told late: after the access, by the thread that comes next.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"

cat >stacks.cpp <<'P'
#include <pthread.h>

#include <atomic>

#define KEEP __attribute__((noinline))
alignas(8) int x;  // a word each
alignas(8) int y;
alignas(8) int z;
int cells[1 << 18];
char word[8];
std::atomic<int> gone;
pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

void next_time() {
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
}
// One of each for each variable: races between the same places are one finding.
template <int* kWhich>
KEEP void put(int depth) {
  if (depth > 0)
    put<kWhich>(depth - 1);
  else
    *kWhich = 1;
  asm volatile("");
}
template <int* kWhich>
KEEP int get(int depth) {
  const int got = depth > 0 ? get<kWhich>(depth - 1) : *kWhich;
  asm volatile("");
  return got;
}
template <int* kWhich>
KEEP void left() { put<kWhich>(3); asm volatile(""); }
template <int* kWhich>
KEEP void right() { put<kWhich>(1); asm volatile(""); }
KEEP void bytes() { word[0] = 1; word[1] = 2; }
// So many different calls that there are no numbers left for those behind.
KEEP void tree(int depth, int node) {
  cells[node] = node;
  if (depth == 0) return;
  tree(depth - 1, 2 * node);
  tree(depth - 1, 2 * node + 1);
  asm volatile("");
}
void* first(void*) {
  left<&x>();
  left<&y>();
  next_time();
  right<&x>();
  bytes();
  tree(17, 1);
  left<&z>();
  gone.store(1, std::memory_order_relaxed);
  return nullptr;
}
void* second(void*) {
  while (gone.load(std::memory_order_relaxed) == 0) {
  }
  return reinterpret_cast<void*>(get<&x>(2) + get<&y>(1) + get<&z>(0) + word[0] + 0L);
}
int main() {
  pthread_t a, b;
  pthread_create(&a, nullptr, first, nullptr);
  pthread_create(&b, nullptr, second, nullptr);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
}
P

cat >check.py <<'P'
import json, re
races = {finding["object"].split("[")[0]: finding for finding in json.load(open("findings.json"))["findings"]}
def calls(name):
    return [" ".join(re.match(r"(?:\w+ )?(\w+)", frame["function"])[1] for frame in stack if frame["function"] != "start_thread")
            for stack in races[name]["stacks"]]
expected = {"x": ["put put right first", "get get get second"],
            "y": ["put put put put left first", "get get second"],
            "z": ["put", "get second"],
            "word": ["bytes first", "second"]}
for name, stacks in expected.items():
    assert calls(name) == stacks, (name, calls(name))
    assert ("several places" in races[name]["message"]) == (name == "word"), races[name]["message"]
P

for compiler in g++ clang++-19; do
  "$(dirname "$RAVEL")/ravel-c++" --ravel-compiler=$compiler -g -O1 -fno-inline -pthread stacks.cpp -o stacks
  expect 66 "$RAVEL" run --json -o findings.json -- ./stacks
  python3 check.py || fail "$compiler"
  "$RAVEL" record -q -o t.rvl -- ./stacks
  expect 66 "$RAVEL" analyze --json -o findings.json t.rvl
  python3 check.py || fail "$compiler: a recorded trace"
done

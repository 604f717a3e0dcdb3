# Programs whose threads must be scheduled to show what they can do.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
: >"$TMP/out" >"$TMP/err"
wrapper=$(dirname "$RAVEL")/ravel-c++

# Two threads take two locks in opposite orders.
cat >dead.cpp <<'END'
#include <mutex>
#include <thread>

std::mutex left, right;
int money;

void forth() {
  const std::lock_guard one(left);
  const std::lock_guard two(right);  // waits for right
  ++money;
}

void back() {
  const std::lock_guard one(right);
  const std::lock_guard two(left);  // waits for left
  --money;
}

int main() {
  std::thread one(forth), two(back);
  one.join();
  two.join();
}
END
"$wrapper" -g -O1 -pthread dead.cpp -o dead

# One thing each, after two threads have taken turns:
#   world WHAT   "cat" copies standard input, "where" prints the directory, $NAME and the last word and makes a file, "count"
#                does something else in the second run in a directory, "lost" waits for a notification that may be over,
#                "hang", "exit N", "kill N"
cat >world.cpp <<'END'
#include <condition_variable>
#include <mutex>
#include <thread>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>

std::mutex mutex;
std::condition_variable condition;
int turns;

void take_turns() {
  for (int i = 0; i < 3; ++i) {
    const std::lock_guard lock(mutex);
    ++turns;
  }
}

void touch(const char* path) { fclose(fopen(path, "w")); }

int main(int, char** words) {
  std::thread other(take_turns);
  take_turns();
  other.join();
  const std::string what = words[1];
  if (what == "cat")
    for (int c; (c = getchar()) != EOF;) putchar(c);
  if (what == "where") {
    puts(getcwd(nullptr, 0));
    puts(getenv("NAME"));
    puts(words[2]);
    touch("made");
  }
  if (what == "count") {
    if (access("counted", F_OK) == 0) const std::lock_guard lock(mutex);
    touch("counted");
  }
  if (what == "lost") {
    std::thread waiter([] {
      std::unique_lock lock(mutex);
      condition.wait(lock);
    });
    condition.notify_one();
    waiter.join();
  }
  if (what == "hang") {
    puts("ready");
    fflush(stdout);
    while (true) pause();
  }
  if (what == "exit") return atoi(words[2]);
  if (what == "kill") raise(atoi(words[2]));
}
END
"$wrapper" -g -O1 -pthread world.cpp -o world

# field FILE KEY: of a schedule.
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$@"; }

# seed_for CODE COMMAND...: the first seed from 1 on with which "ravel record" of the command ends with this code.
seed_for() {
  local want=$1 seed code
  shift
  for seed in {1..50}; do
    code=0
    "$RAVEL" record -q --schedule=random --seed "$seed" -o probe.rvl -- "$@" >/dev/null 2>&1 || code=$?
    [[ $code != "$want" ]] || { echo "$seed" && return; }
  done
  fail "no seed for exit code $want: $*"
}

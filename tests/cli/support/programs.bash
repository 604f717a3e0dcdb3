# Programs for the tests of the commands that run one. They are compiled as a user's are, and end by themselves.
source "$RAVEL_SOURCE_DIR/tests/cli/support/lib.bash"
: >"$TMP/out" >"$TMP/err"
wrapper=$(dirname "$RAVEL")/ravel-c++

# compile NAME: $TMP/NAME from the C++ text on standard input, for ravel.
compile() {
  cat >"$1.cpp"
  "$wrapper" -g -O1 -pthread "$1.cpp" -o "$1"
}

# A race in every run, and what the tests want to happen beside it:
#   race OPERATION...   "out" and "err" print a line, "cat" copies standard input, "fork" races in a child too, "exec PROG"
#                       becomes PROG, "exit N", "_exit N", "kill N" (a signal to itself), "wait" (prints "ready", then waits
#                       for SIGINT and prints "handled")
compile race <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int shared;

void* count(void*) {
  ++shared;
  return nullptr;
}

void race() {
  pthread_t other;
  pthread_create(&other, nullptr, count, nullptr);
  count(nullptr);
  pthread_join(other, nullptr);
}

volatile sig_atomic_t handled;
void handle(int) { handled = 1; }

int main(int, char** words) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  race();
  for (char** word = words + 1; *word != nullptr; ++word) {
    if (strcmp(*word, "out") == 0) puts("to stdout");
    if (strcmp(*word, "err") == 0) fputs("to stderr\n", stderr);
    if (strcmp(*word, "cat") == 0)
      for (int c; (c = getchar()) != EOF;) putchar(c);
    if (strcmp(*word, "fork") == 0) {
      if (fork() == 0) {
        race();
        return 0;
      }
      wait(nullptr);
    }
    if (strcmp(*word, "exec") == 0) execv(word[1], word + 1);
    if (strcmp(*word, "exit") == 0) exit(atoi(word[1]));
    if (strcmp(*word, "_exit") == 0) _exit(atoi(word[1]));
    if (strcmp(*word, "kill") == 0) raise(atoi(word[1]));
    if (strcmp(*word, "wait") == 0) {
      sigset_t block, before;
      sigemptyset(&block);
      sigaddset(&block, SIGINT);
      sigprocmask(SIG_BLOCK, &block, &before);
      signal(SIGINT, handle);
      puts("ready");
      while (!handled) sigsuspend(&before);
      puts("handled");
    }
  }
}
END

# The same threads, ordered.
compile clean <<'END'
#include <mutex>
#include <stdlib.h>
#include <thread>

int shared;
std::mutex mutex;

void count() {
  const std::lock_guard lock(mutex);
  ++shared;
}

int main(int argc, char** words) {
  std::thread other(count);
  count();
  other.join();
  return argc > 1 ? atoi(words[1]) : 0;
}
END

# Many events: each round is a section with 512 writes to shared memory.
compile busy <<'END'
#include <mutex>
#include <stdio.h>
#include <thread>

long cells[512];
std::mutex mutex;

void work() {
  for (int round = 0; round < 400; ++round) {
    const std::lock_guard lock(mutex);
    for (long& cell : cells) cell += round;
  }
}

int main() {
  std::thread one(work), two(work);
  one.join();
  two.join();
  printf("%ld\n", cells[0]);
}
END

g++ -pthread clean.cpp -o plain
gcc -static -x c - -o static <<<'int main(void) { return 7; }'
printf 'no program\n' >text

# A program may be wrong in four ways before it runs: not there, not allowed, not dynamic, nowhere to write.
# refuses_bad_programs COMMAND...: of ravel, up to the "--".
refuses_bad_programs() {
  refuse './missing: cannot run it: No such file' "$@" -- ./missing
  refuse './text: cannot run it: Permission denied' "$@" -- ./text
  expect 2 "$@" -- ./static
  err_has 'statically linked'
  refuse 'PROG is required' "$@"
}

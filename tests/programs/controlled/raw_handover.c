// Two threads take turns by a futex that code waits for which ravel has not compiled.
// PLAIN: plain/raw_calls.c
// EXPECT: output 20
#include "controlled.h"
#include "plain/raw_calls.h"

static int turn;
static int count;

static void* play(void* which) {
  const int mine = which != NULL;
  for (int i = 0; i < 10; ++i) {
    for (int seen; (seen = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != mine;) raw_wait(&turn, seen);
    ++count;
    __atomic_store_n(&turn, 1 - mine, __ATOMIC_RELEASE);
    raw_wake(&turn, 1);
  }
  return NULL;
}

int main() {
  pthread_t other;
  pthread_create(&other, NULL, play, &turn);
  play(NULL);
  join(other);
  printf("%d\n", count);
}

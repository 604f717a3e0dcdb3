// Who has a file is switched away from; the others wait for it, by function and by writing.
// EXPECT: output aabbcc
// EXPECT: output aaccbb
// EXPECT: output bbaacc
// EXPECT: output bbccaa
// EXPECT: output ccaabb
// EXPECT: output ccbbaa
#include "controlled.h"

static void* print(void* name) {
  flockfile(stdout);
  flockfile(stdout);
  fputs(name, stdout);
  sched_yield();
  funlockfile(stdout);
  sched_yield();
  fputs(name, stdout);
  funlockfile(stdout);
  return NULL;
}

static void* try_to_print(void* name) {
  while (ftrylockfile(stdout) != 0) sched_yield();
  fputs(name, stdout);
  sched_yield();
  fputs(name, stdout);
  funlockfile(stdout);
  return NULL;
}

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, print, "a");
  pthread_create(&threads[1], NULL, print, "b");
  pthread_create(&threads[2], NULL, try_to_print, "c");
  for (int i = 0; i < 3; ++i) join(threads[i]);
  puts("");
}

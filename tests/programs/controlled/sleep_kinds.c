// All ways to sleep take the time they say, and no time of the world.
// TIMEOUT: 10
// EXPECT: output 1000 1 1000 1000 1000 2
#include "controlled.h"

static long now() { return in_seconds(CLOCK_MONOTONIC, 0).tv_sec; }

int main() {
  long at[7] = {now()};
  CHECK(sleep(1000) == 0);
  at[1] = now();
  for (int i = 0; i < 2; ++i) CHECK(usleep(500000) == 0);
  at[2] = now();
  CHECK(nanosleep(&(struct timespec){.tv_sec = 1000}, NULL) == 0);
  at[3] = now();
  CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){.tv_sec = 1000}, NULL) == 0);
  at[4] = now();
  struct timespec until = in_seconds(CLOCK_MONOTONIC, 1000);
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  at[5] = now();
  CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
  sleep(2);
  at[6] = now();
  for (int i = 0; i < 6; ++i) printf(i == 0 ? "%ld" : " %ld", at[i + 1] - at[i]);
  puts("");
}

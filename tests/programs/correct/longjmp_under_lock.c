// longjmp leaves frames without returning from them; the lock is released afterwards.
// EXPECT: none
#include <pthread.h>
#include <setjmp.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int attempts;

__attribute__((noinline)) static void jump_out(jmp_buf target) { longjmp(target, 1); }

__attribute__((noinline)) static void jump_further(jmp_buf target) { jump_out(target); }

static void attempt(void) {
  jmp_buf target;
  pthread_mutex_lock(&lock);
  if (setjmp(target) == 0) {
    ++attempts;
    jump_further(target);
  }
  pthread_mutex_unlock(&lock);
}

static void* work(void* argument) {
  for (int i = 0; i < 20; ++i) attempt();
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return attempts != 40;
}

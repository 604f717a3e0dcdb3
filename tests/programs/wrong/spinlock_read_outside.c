// The value is written under a spin lock and read without it.
// EXPECT: race on value
#include <pthread.h>

pthread_spinlock_t lock;
int value;

static void* writer(void* argument) {
  pthread_spin_lock(&lock);
  value = 1;
  pthread_spin_unlock(&lock);
  return argument;
}

static void* reader(void* argument) {
  volatile int seen = value;
  (void)seen;
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}

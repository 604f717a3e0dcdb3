// The main thread ends, the process goes on: its threads wait until the system shows the main thread as dead,
// and race then.
// EXPECT: race on late
// STEPS: vary, because the system says when the main thread is dead.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

int late;

bool main_thread_is_dead() {
  char path[64], text[512];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", static_cast<int>(getpid()));
  const int file = open(path, O_RDONLY);
  if (file < 0) return false;
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size < 0 ? 0 : size] = '\0';
  const char* const name_end = std::strrchr(text, ')');
  return name_end != nullptr && std::strncmp(name_end, ") Z", 3) == 0;
}

void work() {
  while (!main_thread_is_dead()) std::this_thread::yield();
  // Long enough for whoever looks at the process now to think that it is over.
  for (int i = 0; i < 2000; ++i) main_thread_is_dead();
  late = 1;
}

int main() {
  std::thread(work).detach();
  std::thread(work).detach();
  pthread_exit(nullptr);
}

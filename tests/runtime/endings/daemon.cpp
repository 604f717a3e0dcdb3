// The program leaves its terminal; what it says then comes through a pipe.
// EXIT 0
#include <unistd.h>

#include <cstdio>
#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (daemon(0, 0) != 0) _exit(1);
    std::thread([&] {
      if (write(ends[1], "daemon", 6) != 6) _exit(1);
    }).join();
    return 0;
  }
  close(ends[1]);
  char text[16] = "";
  const ssize_t got = read(ends[0], text, sizeof text - 1);
  std::printf("%zd %s\n", got, text);
}

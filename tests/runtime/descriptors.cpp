// A write to a pipe comes before the read that gets it, and the stream's own descriptor is out of reach.
// RECORDS Join 51
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "expect.h"

int main() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  int data = 0;
  std::thread writer([&] {
    data = 5;
    EXPECT(write(ends[1], "abc", 3) == 3);
    close(ends[1]);
  });
  char buffer[8] = {};
  EXPECT(read(ends[0], buffer, 3) == 3 && data == 5 && strcmp(buffer, "abc") == 0);
  writer.join();
  EXPECT(read(ends[0], buffer, 1) == 0);
  EXPECT(close(ends[0]) == 0 && close(ends[0]) == -1 && errno == EBADF);
  EXPECT(write(-1, buffer, 1) == -1 && errno == EBADF);

  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  char part[2][3] = {"xy", "zw"};
  iovec parts[2] = {{part[0], 2}, {part[1], 2}};
  EXPECT(writev(ends[0], parts, 2) == 4);
  const int copy = dup(ends[1]);
  EXPECT(close(100'000) == -1 && errno == EBADF);
  EXPECT(recv(copy, buffer, sizeof buffer, 0) == 4 && memcmp(buffer, "xyzw", 4) == 0);

  // A program that closes all it can find is recorded to its end.
  for (int i = 3; i < 2000; ++i) close(i);
  closefrom(3);
  for (int i = 0; i < 50; ++i) std::thread([&] { ++data; }).join();
  EXPECT(data == 55);
}

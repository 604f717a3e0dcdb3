// Two threads talk through a pair of sockets, by read and write, send and receive, and messages.
// EXPECT: output 30
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "controlled.h"

static int ends[2];

static void* answer(void* nothing) {
  int number;
  while (recv(ends[1], &number, sizeof number, 0) == sizeof number) {
    ++number;
    struct iovec part = {&number, sizeof number};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    CHECK(sendmsg(ends[1], &message, 0) == sizeof number);
  }
  return nothing;
}

int main() {
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t thread = start(answer);
  int number = 0;
  for (int i = 0; i < 15; ++i) {
    CHECK(send(ends[0], &number, sizeof number, 0) == sizeof number);
    CHECK(recv(ends[0], &number, sizeof number, MSG_WAITALL) == sizeof number);
    ++number;
  }
  CHECK(recv(ends[0], &number, sizeof number, MSG_DONTWAIT) == -1 && errno == EAGAIN);
  shutdown(ends[0], SHUT_WR);
  join(thread);
  printf("%d\n", number);
}

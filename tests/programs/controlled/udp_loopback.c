// Datagrams between two threads keep their borders.
// EXPECT: output 3000 1 3000 1
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "controlled.h"

static struct sockaddr_in address;
static int receiver;

static void* send_some(void* nothing) {
  static char block[3000];
  const int sender = socket(AF_INET, SOCK_DGRAM, 0);
  for (int i = 0; i < 4; ++i) {
    const size_t bytes = i % 2 == 0 ? sizeof block : 1;
    CHECK(sendto(sender, block, bytes, 0, (struct sockaddr*)&address, sizeof address) == (ssize_t)bytes);
  }
  return nothing;
}

int main() {
  receiver = socket(AF_INET, SOCK_DGRAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  CHECK(bind(receiver, (struct sockaddr*)&address, sizeof address) == 0);
  CHECK(getsockname(receiver, (struct sockaddr*)&address, &length) == 0);
  pthread_t thread = start(send_some);
  char block[6000];
  for (int i = 0; i < 4; ++i)
    printf(i == 0 ? "%zd" : " %zd", recvfrom(receiver, block, sizeof block, 0, NULL, NULL));
  puts("");
  join(thread);
}

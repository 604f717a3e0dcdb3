// A server and its clients are threads of one process.
// EXPECT: output 30
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "controlled.h"

static struct sockaddr_in address;
static int listener, total;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* ask(void* nothing) {
  const int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(connect(socket_, (struct sockaddr*)&address, sizeof address) == 0);
  for (int i = 0; i < 5; ++i) {
    int number = i;
    CHECK(write(socket_, &number, sizeof number) == sizeof number);
    CHECK(read(socket_, &number, sizeof number) == sizeof number);
    pthread_mutex_lock(&mutex);
    total += number;
    pthread_mutex_unlock(&mutex);
  }
  close(socket_);
  return nothing;
}

static void* serve(void* nothing) {
  const int socket_ = accept(listener, NULL, NULL);
  CHECK(socket_ >= 0);
  for (int number; read(socket_, &number, sizeof number) == sizeof number;) {
    ++number;
    CHECK(write(socket_, &number, sizeof number) == sizeof number);
  }
  close(socket_);
  return nothing;
}

int main() {
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  CHECK(bind(listener, (struct sockaddr*)&address, sizeof address) == 0 && listen(listener, 5) == 0);
  CHECK(getsockname(listener, (struct sockaddr*)&address, &length) == 0);
  pthread_t threads[] = {start(ask), start(serve), start(serve), start(ask)};
  for (int i = 0; i < 4; ++i) join(threads[i]);
  printf("%d\n", total);
}

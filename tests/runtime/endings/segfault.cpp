// EXIT 139
#include <cstdio>
#include <thread>

namespace {
int* volatile nowhere = nullptr;
}

int main() {
  std::puts("begin");
  std::fflush(stdout);
  std::thread([] { *nowhere = 1; }).join();
}

// The heap behaves as glibc's does; strings and blocks are shared by their bytes.
#include <malloc.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "expect.h"

int main() {
  volatile std::size_t most = SIZE_MAX;
  auto* block = static_cast<char*>(malloc(100));
  EXPECT(malloc_usable_size(block) >= 100);
  strcpy(block, "abc");
  block = static_cast<char*>(realloc(block, 1 << 20));
  EXPECT(strcmp(block, "abc") == 0);
  EXPECT(realloc(block, most / 2) == nullptr && errno == ENOMEM);
  block = static_cast<char*>(realloc(block, 8));
  EXPECT(strcat(block, "de") == block && strlen(block) == 5 && strchr(block, 'd') == block + 3);
  EXPECT(strncmp(block, "abcX", 3) == 0 && memcmp(block, "abcd", 4) == 0 && strrchr(block, 'z') == nullptr);
  free(block);
  free(nullptr);
  void* aligned = nullptr;
  EXPECT(posix_memalign(&aligned, 3, 10) == EINVAL && aligned == nullptr);
  EXPECT(posix_memalign(&aligned, 256, 10) == 0 && reinterpret_cast<std::uintptr_t>(aligned) % 256 == 0);
  free(aligned);
  EXPECT(reallocarray(nullptr, most, 2) == nullptr && errno == ENOMEM);
  auto* zeros = static_cast<int*>(calloc(1000, sizeof(int)));
  EXPECT(zeros[999] == 0);
  free(zeros);
  struct alignas(128) Wide {
    int value = 3;
  };
  auto wide = std::make_unique<Wide[]>(3);
  EXPECT(reinterpret_cast<std::uintptr_t>(wide.get()) % 128 == 0 && wide[2].value == 3);
  EXPECT(operator new(most / 2, std::nothrow) == nullptr);
  bool thrown = false;
  try {
    operator delete(operator new(most / 2));
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  EXPECT(thrown);

  const std::size_t huge = std::size_t{1} << 40;
  void* const reserved = mmap(nullptr, huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(reserved != MAP_FAILED && munmap(reserved, huge) == 0);
  void* mapped = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(mapped, 5, 4096);
  mapped = mremap(mapped, 4096, 8192, MREMAP_MAYMOVE);
  EXPECT(static_cast<char*>(mapped)[4095] == 5 && static_cast<char*>(mapped)[4096] == 0);
  EXPECT(munmap(static_cast<char*>(mapped) + 1, 4096) == -1 && errno == EINVAL);
  EXPECT(munmap(mapped, 8192) == 0);

  std::string text(1000, 'x');
  std::thread([&] { text += std::string(1000, 'y'); }).join();
  EXPECT(text.find('y') == 1000);
}

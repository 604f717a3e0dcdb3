// Functions on memory and strings: their callees' accesses, range by range. Without a hot thread each is one
// test and a jump to the real one.
#include <string.h>
#include <strings.h>

#include "runtime/intercept.h"

RAVEL_REAL_TYPED(memcpy, void* (*)(void*, const void*, std::size_t))
RAVEL_REAL_TYPED(memmove, void* (*)(void*, const void*, std::size_t))
RAVEL_REAL_TYPED(mempcpy, void* (*)(void*, const void*, std::size_t))
RAVEL_REAL_TYPED(memset, void* (*)(void*, int, std::size_t))
RAVEL_REAL_TYPED(__memcpy_chk, void* (*)(void*, const void*, std::size_t, std::size_t))
RAVEL_REAL_TYPED(__memmove_chk, void* (*)(void*, const void*, std::size_t, std::size_t))
RAVEL_REAL_TYPED(__mempcpy_chk, void* (*)(void*, const void*, std::size_t, std::size_t))
RAVEL_REAL_TYPED(__memset_chk, void* (*)(void*, int, std::size_t, std::size_t))
RAVEL_REAL_TYPED(bcopy, void (*)(const void*, void*, std::size_t))
RAVEL_REAL_TYPED(bzero, void (*)(void*, std::size_t))
RAVEL_REAL_TYPED(memcmp, int (*)(const void*, const void*, std::size_t))
RAVEL_REAL_TYPED(bcmp, int (*)(const void*, const void*, std::size_t))
RAVEL_REAL_TYPED(memchr, void* (*)(const void*, int, std::size_t))
RAVEL_REAL_TYPED(memrchr, void* (*)(const void*, int, std::size_t))
RAVEL_REAL_TYPED(rawmemchr, void* (*)(const void*, int))
RAVEL_REAL_TYPED(memmem, void* (*)(const void*, std::size_t, const void*, std::size_t))
RAVEL_REAL_TYPED(strlen, std::size_t (*)(const char*))
RAVEL_REAL_TYPED(strnlen, std::size_t (*)(const char*, std::size_t))
RAVEL_REAL_TYPED(strcpy, char* (*)(char*, const char*))
RAVEL_REAL_TYPED(stpcpy, char* (*)(char*, const char*))
RAVEL_REAL_TYPED(strncpy, char* (*)(char*, const char*, std::size_t))
RAVEL_REAL_TYPED(strcat, char* (*)(char*, const char*))
RAVEL_REAL_TYPED(strncat, char* (*)(char*, const char*, std::size_t))
RAVEL_REAL_TYPED(__strcpy_chk, char* (*)(char*, const char*, std::size_t))
RAVEL_REAL_TYPED(__stpcpy_chk, char* (*)(char*, const char*, std::size_t))
RAVEL_REAL_TYPED(__strncpy_chk, char* (*)(char*, const char*, std::size_t, std::size_t))
RAVEL_REAL_TYPED(__strcat_chk, char* (*)(char*, const char*, std::size_t))
RAVEL_REAL_TYPED(__strncat_chk, char* (*)(char*, const char*, std::size_t, std::size_t))
RAVEL_REAL_TYPED(strcmp, int (*)(const char*, const char*))
RAVEL_REAL_TYPED(strncmp, int (*)(const char*, const char*, std::size_t))
RAVEL_REAL_TYPED(strcasecmp, int (*)(const char*, const char*))
RAVEL_REAL_TYPED(strncasecmp, int (*)(const char*, const char*, std::size_t))
RAVEL_REAL_TYPED(strchr, char* (*)(const char*, int))
RAVEL_REAL_TYPED(strchrnul, char* (*)(const char*, int))
RAVEL_REAL_TYPED(strrchr, char* (*)(const char*, int))
RAVEL_REAL_TYPED(strstr, char* (*)(const char*, const char*))
RAVEL_REAL_TYPED(strpbrk, char* (*)(const char*, const char*))
RAVEL_REAL_TYPED(strspn, std::size_t (*)(const char*, const char*))
RAVEL_REAL_TYPED(strcspn, std::size_t (*)(const char*, const char*))
RAVEL_REAL_TYPED(strdup, char* (*)(const char*))
RAVEL_REAL_TYPED(__strdup, char* (*)(const char*))
RAVEL_REAL_TYPED(strndup, char* (*)(const char*, std::size_t))

namespace ravel::rt {
namespace {

RAVEL_NOINLINE void reads(Thread* self, const void* from, std::size_t bytes, Pc pc) {
  touch(self, from, bytes, kReadWord, pc);
}
RAVEL_NOINLINE void writes(Thread* self, const void* to, std::size_t bytes, Pc pc) {
  touch(self, to, bytes, kWriteWord, pc);
}
RAVEL_NOINLINE void copies(Thread* self, const void* to, const void* from, std::size_t bytes, Pc pc) {
  touch(self, from, bytes, kReadWord, pc);
  touch(self, to, bytes, kWriteWord, pc);
}

/// Of a string with its end.
std::size_t whole(const char* text) { return real_strlen()(text) + 1; }
/// What a function sees of a string of which it looks at `most` bytes.
std::size_t whole(const char* text, std::size_t most) {
  const std::size_t length = real_strnlen()(text, most);
  return length < most ? length + 1 : length;
}

RAVEL_NOINLINE void reads_string(Thread* self, const char* text, Pc pc) {
  touch(self, text, whole(text), kReadWord, pc);
}
RAVEL_NOINLINE void copies_string(Thread* self, const void* to, const char* from, Pc pc) {
  copies(self, to, from, whole(from), pc);
}
/// The rest up to `most` is filled with zeros.
RAVEL_NOINLINE void copies_padded(Thread* self, const void* to, const char* from, std::size_t most, Pc pc) {
  touch(self, from, whole(from, most), kReadWord, pc);
  touch(self, to, most, kWriteWord, pc);
}
RAVEL_NOINLINE void appends(Thread* self, const char* to, const char* from, std::size_t most, Pc pc) {
  const std::size_t length = real_strlen()(to);
  const std::size_t copied = real_strnlen()(from, most);
  touch(self, to, length + 1, kReadWord, pc);
  touch(self, from, copied < most ? copied + 1 : copied, kReadWord, pc);
  touch(self, to + length, copied + 1, kWriteWord, pc);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// A comparison ends at the first difference.
RAVEL_NOINLINE void compares(Thread* self, const char* a, const char* b, std::size_t most, bool cases,
                             Pc pc) {
  std::size_t bytes = 0;
  while (bytes < most) {
    const char left = a[bytes];
    const char right = b[bytes];
    ++bytes;
    if (left == '\0' || (cases ? left != right : lower(left) != lower(right))) break;
  }
  touch(self, a, bytes, kReadWord, pc);
  touch(self, b, bytes, kReadWord, pc);
}

std::size_t up_to(const void* from, const void* found) {
  return static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(from)) + 1;
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

#define IF_HOT(act)                                                  \
  if (Thread* const self = hot_thread; self != nullptr) [[unlikely]] \
  act

// Copies and fills: the accesses come first, as every hook does.
#define RAVEL_COPY(name)                                                        \
  RAVEL_INTERCEPT(void*, name, void* to, const void* from, std::size_t bytes) { \
    IF_HOT(copies(self, to, from, bytes, RAVEL_CALLER);)                        \
    return real_##name()(to, from, bytes);                                      \
  }
RAVEL_COPY(memcpy)
RAVEL_COPY(memmove)
RAVEL_COPY(mempcpy)

#define RAVEL_COPY_CHECKED(name)                                                                  \
  RAVEL_INTERCEPT(void*, name, void* to, const void* from, std::size_t bytes, std::size_t room) { \
    IF_HOT(copies(self, to, from, bytes <= room ? bytes : 0, RAVEL_CALLER);)                      \
    return real_##name()(to, from, bytes, room);                                                  \
  }
RAVEL_COPY_CHECKED(__memcpy_chk)
RAVEL_COPY_CHECKED(__memmove_chk)
RAVEL_COPY_CHECKED(__mempcpy_chk)

RAVEL_INTERCEPT(void*, memset, void* to, int value, std::size_t bytes) {
  IF_HOT(writes(self, to, bytes, RAVEL_CALLER);)
  return real_memset()(to, value, bytes);
}
RAVEL_INTERCEPT(void*, __memset_chk, void* to, int value, std::size_t bytes, std::size_t room) {
  IF_HOT(writes(self, to, bytes <= room ? bytes : 0, RAVEL_CALLER);)
  return real___memset_chk()(to, value, bytes, room);
}
RAVEL_INTERCEPT(void, bcopy, const void* from, void* to, std::size_t bytes) {
  IF_HOT(copies(self, to, from, bytes, RAVEL_CALLER);)
  real_bcopy()(from, to, bytes);
}
RAVEL_INTERCEPT(void, bzero, void* to, std::size_t bytes) {
  IF_HOT(writes(self, to, bytes, RAVEL_CALLER);)
  real_bzero()(to, bytes);
}

RAVEL_INTERFACE void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  IF_HOT(copies(self, to, from, bytes, RAVEL_CALLER);)
  return real_memcpy()(to, from, bytes);
}
RAVEL_INTERFACE void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  IF_HOT(copies(self, to, from, bytes, RAVEL_CALLER);)
  return real_memmove()(to, from, bytes);
}
RAVEL_INTERFACE void* __tsan_memset(void* to, int value, std::size_t bytes) {
  IF_HOT(writes(self, to, bytes, RAVEL_CALLER);)
  return real_memset()(to, value, bytes);
}

RAVEL_INTERCEPT(char*, strcpy, char* to, const char* from) {
  IF_HOT(copies_string(self, to, from, RAVEL_CALLER);)
  return real_strcpy()(to, from);
}
RAVEL_INTERCEPT(char*, stpcpy, char* to, const char* from) {
  IF_HOT(copies_string(self, to, from, RAVEL_CALLER);)
  return real_stpcpy()(to, from);
}
RAVEL_INTERCEPT(char*, __strcpy_chk, char* to, const char* from, std::size_t room) {
  IF_HOT(copies_string(self, to, from, RAVEL_CALLER);)
  return real___strcpy_chk()(to, from, room);
}
RAVEL_INTERCEPT(char*, __stpcpy_chk, char* to, const char* from, std::size_t room) {
  IF_HOT(copies_string(self, to, from, RAVEL_CALLER);)
  return real___stpcpy_chk()(to, from, room);
}
RAVEL_INTERCEPT(char*, strncpy, char* to, const char* from, std::size_t most) {
  IF_HOT(copies_padded(self, to, from, most, RAVEL_CALLER);)
  return real_strncpy()(to, from, most);
}
RAVEL_INTERCEPT(char*, __strncpy_chk, char* to, const char* from, std::size_t most, std::size_t room) {
  IF_HOT(copies_padded(self, to, from, most <= room ? most : 0, RAVEL_CALLER);)
  return real___strncpy_chk()(to, from, most, room);
}
RAVEL_INTERCEPT(char*, strcat, char* to, const char* from) {
  IF_HOT(appends(self, to, from, SIZE_MAX, RAVEL_CALLER);)
  return real_strcat()(to, from);
}
RAVEL_INTERCEPT(char*, __strcat_chk, char* to, const char* from, std::size_t room) {
  IF_HOT(appends(self, to, from, SIZE_MAX, RAVEL_CALLER);)
  return real___strcat_chk()(to, from, room);
}
RAVEL_INTERCEPT(char*, strncat, char* to, const char* from, std::size_t most) {
  IF_HOT(appends(self, to, from, most, RAVEL_CALLER);)
  return real_strncat()(to, from, most);
}
RAVEL_INTERCEPT(char*, __strncat_chk, char* to, const char* from, std::size_t most, std::size_t room) {
  IF_HOT(appends(self, to, from, most, RAVEL_CALLER);)
  return real___strncat_chk()(to, from, most, room);
}

// Comparisons and searches: how far they have read is known afterwards, or by comparing again.
RAVEL_INTERCEPT(int, memcmp, const void* a, const void* b, std::size_t bytes) {
  IF_HOT({
    reads(self, a, bytes, RAVEL_CALLER);
    reads(self, b, bytes, RAVEL_CALLER);
  })
  return real_memcmp()(a, b, bytes);
}
RAVEL_INTERCEPT(int, bcmp, const void* a, const void* b, std::size_t bytes) {
  IF_HOT({
    reads(self, a, bytes, RAVEL_CALLER);
    reads(self, b, bytes, RAVEL_CALLER);
  })
  return real_bcmp()(a, b, bytes);
}
RAVEL_INTERCEPT(int, strcmp, const char* a, const char* b) {
  IF_HOT(compares(self, a, b, SIZE_MAX, true, RAVEL_CALLER);)
  return real_strcmp()(a, b);
}
RAVEL_INTERCEPT(int, strncmp, const char* a, const char* b, std::size_t most) {
  IF_HOT(compares(self, a, b, most, true, RAVEL_CALLER);)
  return real_strncmp()(a, b, most);
}
RAVEL_INTERCEPT(int, strcasecmp, const char* a, const char* b) {
  IF_HOT(compares(self, a, b, SIZE_MAX, false, RAVEL_CALLER);)
  return real_strcasecmp()(a, b);
}
RAVEL_INTERCEPT(int, strncasecmp, const char* a, const char* b, std::size_t most) {
  IF_HOT(compares(self, a, b, most, false, RAVEL_CALLER);)
  return real_strncasecmp()(a, b, most);
}
RAVEL_INTERCEPT(void*, memchr, const void* from, int value, std::size_t bytes) {
  void* const found = real_memchr()(from, value, bytes);
  IF_HOT(reads(self, from, found != nullptr ? up_to(from, found) : bytes, RAVEL_CALLER);)
  return found;
}
RAVEL_INTERCEPT(void*, memrchr, const void* from, int value, std::size_t bytes) {
  IF_HOT(reads(self, from, bytes, RAVEL_CALLER);)
  return real_memrchr()(from, value, bytes);
}
RAVEL_INTERCEPT(void*, rawmemchr, const void* from, int value) {
  void* const found = real_rawmemchr()(from, value);
  IF_HOT(reads(self, from, up_to(from, found), RAVEL_CALLER);)
  return found;
}
RAVEL_INTERCEPT(void*, memmem, const void* in, std::size_t in_bytes, const void* what, std::size_t bytes) {
  IF_HOT({
    reads(self, in, in_bytes, RAVEL_CALLER);
    reads(self, what, bytes, RAVEL_CALLER);
  })
  return real_memmem()(in, in_bytes, what, bytes);
}
RAVEL_INTERCEPT(std::size_t, strlen, const char* text) {
  const std::size_t length = real_strlen()(text);
  IF_HOT(reads(self, text, length + 1, RAVEL_CALLER);)
  return length;
}
RAVEL_INTERCEPT(std::size_t, strnlen, const char* text, std::size_t most) {
  const std::size_t length = real_strnlen()(text, most);
  IF_HOT(reads(self, text, length < most ? length + 1 : most, RAVEL_CALLER);)
  return length;
}
RAVEL_INTERCEPT(char*, strchr, const char* text, int value) {
  char* const found = real_strchr()(text, value);
  IF_HOT(reads(self, text, found != nullptr ? up_to(text, found) : whole(text), RAVEL_CALLER);)
  return found;
}
RAVEL_INTERCEPT(char*, index, const char* text, int value) {
  char* const found = real_strchr()(text, value);
  IF_HOT(reads(self, text, found != nullptr ? up_to(text, found) : whole(text), RAVEL_CALLER);)
  return found;
}
RAVEL_INTERCEPT(char*, strchrnul, const char* text, int value) {
  char* const found = real_strchrnul()(text, value);
  IF_HOT(reads(self, text, up_to(text, found), RAVEL_CALLER);)
  return found;
}
RAVEL_INTERCEPT(char*, strrchr, const char* text, int value) {
  IF_HOT(reads_string(self, text, RAVEL_CALLER);)
  return real_strrchr()(text, value);
}
RAVEL_INTERCEPT(char*, rindex, const char* text, int value) {
  IF_HOT(reads_string(self, text, RAVEL_CALLER);)
  return real_strrchr()(text, value);
}

#define RAVEL_SEARCH(result, name)                                  \
  RAVEL_INTERCEPT(result, name, const char* in, const char* what) { \
    IF_HOT({                                                        \
      reads_string(self, in, RAVEL_CALLER);                         \
      reads_string(self, what, RAVEL_CALLER);                       \
    })                                                              \
    return real_##name()(in, what);                                 \
  }
RAVEL_SEARCH(char*, strstr)
RAVEL_SEARCH(char*, strpbrk)
RAVEL_SEARCH(std::size_t, strspn)
RAVEL_SEARCH(std::size_t, strcspn)

// The copy is new memory, which malloc tells of.
RAVEL_INTERCEPT(char*, strdup, const char* text) {
  IF_HOT(reads_string(self, text, RAVEL_CALLER);)
  return real_strdup()(text);
}
RAVEL_INTERCEPT(char*, __strdup, const char* text) {
  IF_HOT(reads_string(self, text, RAVEL_CALLER);)
  return real___strdup()(text);
}
RAVEL_INTERCEPT(char*, strndup, const char* text, std::size_t most) {
  IF_HOT(reads(self, text, whole(text, most), RAVEL_CALLER);)
  return real_strndup()(text, most);
}

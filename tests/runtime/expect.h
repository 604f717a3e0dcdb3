// A check that names its line and ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void expect(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what);
  std::abort();
}
#define EXPECT(condition) expect(condition, #condition, __FILE__, __LINE__)

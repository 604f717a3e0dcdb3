// Small programs for tests of symbols: compiled at test time, run once to tell the addresses of what they
// mark.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "unit/trace/trace_text.h"

namespace ravel::test {

/// What a marked program includes. MARK(label) tells the address of its own call, AT(label, pointer) that of
/// some data; both as linked, wherever the file was loaded.
inline constexpr std::string_view kMarkHeader = R"(#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
__attribute__((unused)) static void at(const char* label, const volatile void* address) {
  Dl_info info;
  struct link_map* map = 0;
  dladdr1((const void*)address, &info, (void**)&map, RTLD_DL_LINKMAP);
  printf("%s %lx\n", label, (unsigned long)address - (map ? map->l_addr : 0));
}
__attribute__((noinline, unused)) static void mark(const char* label) {
  at(label, (const char*)__builtin_return_address(0) - 1);
}
#define MARK(label) do { mark(label); __asm__ volatile("" ::: "memory"); } while (0)
#define AT(label, pointer) at(label, pointer)
)";

class Program : public ::testing::Test {
 protected:
  Program() { directory_.file("mark.h", kMarkHeader); }

  static std::string shell(const std::string& command) {
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::string output;
    std::array<char, 4096> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
      output.append(buffer.data(), count);
    const int status = ::pclose(pipe);
    EXPECT_EQ(status, 0) << command << "\n" << output;
    return output;
  }

  std::string path(std::string_view name) const { return directory_.file(name); }
  void write(std::string_view name, std::string_view text) const { directory_.file(name, text); }

  /// `command` is a compiler and its options; what it makes is called `output`.
  std::string compile(const std::string& command, const std::string& source,
                      const std::string& output = "p") const {
    shell("cd " + path("") + " && " + command + " -o " + output + " " + source);
    return path(output);
  }

  /// What the program marks.
  static std::map<std::string, std::uint64_t> addresses(const std::string& binary) {
    std::map<std::string, std::uint64_t> found;
    std::istringstream lines(shell(binary));
    std::string label;
    std::uint64_t address = 0;
    while (lines >> label >> std::hex >> address) found[label] = address;
    return found;
  }

  TemporaryDirectory directory_;
};

}  // namespace ravel::test

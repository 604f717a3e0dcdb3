// Code addresses to functions and lines.
#include <gmock/gmock.h>

#include "program.h"
#include "symbol/symbolizer.h"

namespace ravel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string without_parameters(const std::string& function) {
  return function.ends_with(')') ? function.substr(0, function.rfind('(')) : function;
}

/// "function file:line", innermost first, the file without its directory. (g++ leaves the parameters of some
/// inlined functions out.)
std::vector<std::string> lines(const std::vector<SourceFrame>& frames) {
  std::vector<std::string> texts;
  for (const SourceFrame& frame : frames)
    texts.push_back(without_parameters(frame.function) + " " + frame.file.substr(frame.file.rfind('/') + 1) +
                    ":" + std::to_string(frame.line));
  return texts;
}

constexpr std::string_view kNested = R"(#include "mark.h"
namespace ns {
namespace {
inline __attribute__((always_inline)) void inner(int) {
  MARK("inner");
}
}
template <typename T>
struct Box {
  __attribute__((always_inline)) void put(T value) {
    inner(static_cast<int>(value));
  }
};
}
__attribute__((noinline)) void outer(long value) {

  ns::Box<long>().put(value);
  MARK("outer");
}
int main() {
  outer(1);
  auto lambda = [](int) __attribute__((noinline)) { MARK("lambda"); };
  lambda(1);
}
)";

class Code : public Program, public ::testing::WithParamInterface<std::string> {};

TEST_P(Code, NamesInlinedCallsAndTheirLines) {
  write("p.cpp", kNested);
  const std::string binary = compile(GetParam(), "p.cpp -ldl");
  const auto at = addresses(binary);
  Symbolizer symbols;
  const auto frames = [&](const char* label) { return symbols.frames(binary, "", at.at(label)); };
  EXPECT_THAT(lines(frames("inner")), ElementsAre("ns::(anonymous namespace)::inner p.cpp:5",
                                                  "ns::Box<long>::put p.cpp:11", "outer p.cpp:17"));
  EXPECT_THAT(lines(frames("outer")), ElementsAre("outer p.cpp:18"));
  const SourceFrame outer = frames("outer").at(0);
  EXPECT_EQ(outer.function, "outer(long)");
  EXPECT_EQ(outer.linkage_name, "_Z5outerl");
  EXPECT_EQ(outer.function_line, 15);
  EXPECT_EQ(outer.file, path("p.cpp"));
  EXPECT_EQ(frames("inner").at(0).function_line, 4);
  EXPECT_EQ(frames("inner").at(1).function_line, 10);
  EXPECT_THAT(symbols.notes(), IsEmpty());
  const auto lambda = frames("lambda");
  ASSERT_EQ(lambda.size(), 1);
  EXPECT_THAT(lambda[0].function, ::testing::AnyOf("main::{lambda(int)#1}::operator()(int) const",
                                                   "main::$_0::operator()(int) const"));
  EXPECT_EQ(lambda[0].line, 22);
}

INSTANTIATE_TEST_SUITE_P(Builds, Code,
                         ::testing::Values("g++ -g -O0", "g++ -g -O2", "g++ -g -gdwarf-4 -O2 -no-pie",
                                           "g++ -g -gz -O1 -fPIE -pie", "g++ -g -gsplit-dwarf -O2",
                                           "g++ -g -O2 -fsanitize=thread", "g++ -g -fdebug-types-section -O2",
                                           "clang++-19 -g -O0", "clang++-19 -g -O2",
                                           "clang++-19 -g -gdwarf-4 -O2 -no-pie",
                                           "clang++-19 -g -gsplit-dwarf -O2"));

class TerseCode : public Program, public ::testing::WithParamInterface<std::string> {};

TEST_P(TerseCode, HasLinesAndInliningAndRealNamesOfRealFunctions) {
  write("p.cpp", kNested);
  const std::string binary = compile(GetParam(), "p.cpp -ldl");
  const auto at = addresses(binary);
  Symbolizer symbols;
  const auto& inner = symbols.frames(binary, "", at.at("inner"));
  ASSERT_EQ(inner.size(), 3);
  EXPECT_THAT((std::vector{inner[0].line, inner[1].line, inner[2].line}), ElementsAre(5, 11, 17));
  EXPECT_THAT(inner[0].function, ::testing::HasSubstr("inner"));
  EXPECT_THAT(inner[0].linkage_name, ::testing::HasSubstr("inner"));
  EXPECT_EQ(inner[2].linkage_name, "_Z5outerl");
  const SourceFrame outer = symbols.frames(binary, "", at.at("outer")).at(0);
  EXPECT_EQ(outer.function, "outer(long)");
  EXPECT_EQ(outer.line, 18);
  EXPECT_EQ(outer.function_line, 15);
  EXPECT_EQ(symbols.frames(binary, "", at.at("lambda")).at(0).line, 22);
}

INSTANTIATE_TEST_SUITE_P(Builds, TerseCode,
                         ::testing::Values("g++ -g1 -O2", "clang++-19 -g1 -O2",
                                           "clang++-19 -gline-tables-only -O1"));

class CodeFiles : public Program {};

TEST_F(CodeFiles, SharedLibraryInC) {
  write("lib.c", R"(#include "mark.h"
static void helper(void) {
  MARK("helper");
}
void entry(void) { helper(); }
)");
  write("p.c", "void entry(void);\nint main(void) { entry(); }\n");
  const std::string library = compile("gcc -g -O0 -shared -fPIC", "lib.c", "libentry.so");
  const std::string binary = compile("clang-19 -g", "p.c -L. -lentry -Wl,-rpath,'$ORIGIN'");
  Symbolizer symbols;
  const auto frame = symbols.frames(library, "", addresses(binary).at("helper")).at(0);
  EXPECT_EQ(frame.function, "helper");
  EXPECT_EQ(frame.linkage_name, "helper");
  EXPECT_EQ(frame.line, 3);
  EXPECT_EQ(frame.function_line, 2);
}

TEST_F(CodeFiles, StrippedFileWithDebugLink) {
  write("p.cpp", kNested);
  const std::string binary = compile("g++ -g -O2 -Wl,--build-id=none", "p.cpp");
  const auto at = addresses(binary);
  shell("cd " + path("") +
        " && objcopy --only-keep-debug p p.debug && strip p && objcopy --add-gnu-debuglink=p.debug p");
  Symbolizer symbols;
  EXPECT_THAT(lines(symbols.frames(binary, "", at.at("inner"))),
              ElementsAre("ns::(anonymous namespace)::inner p.cpp:5", "ns::Box<long>::put p.cpp:11",
                          "outer p.cpp:17"));
}

TEST_F(CodeFiles, StrippedFileHasTheNamesOfItsSymbolTable) {
  write("p.cpp", kNested);
  const std::string binary = compile("g++ -g -O2", "p.cpp");
  const auto at = addresses(binary);
  shell("strip --strip-debug " + binary);
  Symbolizer with_symbols;
  EXPECT_THAT(lines(with_symbols.frames(binary, "", at.at("inner"))), ElementsAre("outer :0"));
  shell("strip " + binary);
  Symbolizer bare;
  EXPECT_THAT(bare.frames(binary, "", at.at("inner")), IsEmpty());
  EXPECT_THAT(bare.notes(), IsEmpty());
}

TEST_F(CodeFiles, RebuiltFileGivesOneNoteAndNoNames) {
  write("p.cpp", kNested);
  const std::string binary = compile("g++ -g -O2 -Wl,--build-id", "p.cpp");
  const auto at = addresses(binary);
  const std::string id = ModuleSymbols::open(binary, "").value()->build_id();
  EXPECT_EQ(id.size(), 40);
  EXPECT_TRUE(ModuleSymbols::open(binary, id));
  compile("g++ -g -O1 -Wl,--build-id", "p.cpp");
  Symbolizer symbols;
  EXPECT_THAT(symbols.frames(binary, id, at.at("inner")), IsEmpty());
  EXPECT_FALSE(symbols.data(binary, id, 1));
  EXPECT_THAT(symbols.notes(),
              ElementsAre(binary + ": was rebuilt since the program ran (its build id differs): "
                                   "no names from it"));
}

TEST_F(CodeFiles, WhatIsNoProgramGivesOneNote) {
  write("text", "hello");
  shell("mkfifo " + path("pipe"));
  for (const std::string name : {"missing", "text", "pipe", ""}) {
    Symbolizer symbols;
    EXPECT_THAT(symbols.frames(path(name), "", 4096), IsEmpty());
    EXPECT_FALSE(symbols.data(path(name), "", 4096));
    EXPECT_EQ(symbols.notes().size(), 1) << name;
  }
}

TEST_F(CodeFiles, AddressesOutsideAnyFunctionHaveNoFrames) {
  write("p.cpp", kNested);
  const std::string binary = compile("g++ -g", "p.cpp");
  Symbolizer symbols;
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_THAT(symbols.frames(binary, "", address), IsEmpty()) << address;
}

}  // namespace
}  // namespace ravel::test

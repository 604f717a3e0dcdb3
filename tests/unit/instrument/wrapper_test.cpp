#include "instrument/wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "instrument/response_file.h"

namespace ravel::instrument {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

const Compiler kGcc{"/usr/bin/g++", Family::Gcc};
const Compiler kClang{"/usr/bin/clang++", Family::Clang};

Result<Runtime> runtime() { return Runtime{"/r"}; }
Result<Runtime> no_runtime() { return fail("no runtime"); }

Result<Words> command(const Compiler& compiler, const std::string& line,
                      Result<Runtime> (*where)() = runtime) {
  return instrumented_command(Invocation::parse(split_response(line)), compiler, where);
}

TEST(WrapperTest, PassesQuestionsOnUntouched) {
  for (const Compiler& compiler : {kGcc, kClang}) {
    EXPECT_EQ(command(compiler, "--version", no_runtime), (Words{compiler.path, "--version"}));
    EXPECT_EQ(command(compiler, "", no_runtime), Words{compiler.path});
    EXPECT_EQ(command(compiler, "-print-file-name=libtsan.so -m64", no_runtime),
              (Words{compiler.path, "-print-file-name=libtsan.so", "-m64"}));
  }
}

TEST(WrapperTest, ACompilationNeedsNoRuntime) {
  EXPECT_EQ(command(kGcc, "-c a.cpp", no_runtime),
            (Words{kGcc.path, "-g1", "-fsanitize=thread", "-Wno-tsan", "-c", "a.cpp"}));
  EXPECT_TRUE(command(kClang, "-c a.cpp", no_runtime).has_value());
  EXPECT_FALSE(command(kGcc, "a.cpp", no_runtime).has_value());
}

TEST(WrapperTest, TheRuntimeComesBeforeEverythingTheUserLinks) {
  for (const Compiler& compiler : {kGcc, kClang}) {
    const Words words = *command(compiler, "-lpthread a.o");
    const auto library = std::ranges::find(words, "/r/libravel_rt.so");
    ASSERT_NE(library, words.end());
    EXPECT_LT(library, std::ranges::find(words, "-lpthread"));
  }
}

TEST(WrapperTest, GccLooksForLibtsanWithUsFirst) {
  const Words words = *command(kGcc, "-L/elsewhere a.c");
  const auto ours = std::ranges::find(words, "-L/r/instead-of-libtsan");
  ASSERT_NE(ours, words.end());
  EXPECT_LT(ours, std::ranges::find(words, "-L/elsewhere"));
  EXPECT_THAT(words, Contains("-B/r/instead-of-libtsan"));
}

TEST(WrapperTest, ClangLinksOtherSanitizersButNotThread) {
  EXPECT_THAT(*command(kClang, "a.c"), Contains("-fno-sanitize-link-runtime"));
  const Words words = *command(kClang, "-fsanitize=thread,undefined -- a.c");
  EXPECT_THAT(words, Not(Contains("-fno-sanitize-link-runtime")));
  const auto off = std::ranges::find(words, "-fno-sanitize=thread");
  ASSERT_NE(off, words.end());
  EXPECT_LT(std::ranges::find(words, "-fsanitize=thread,undefined"), off);
  EXPECT_LT(off, std::ranges::find(words, "--"));
  EXPECT_THAT(words, Contains("-Xclang"));
  // The user's own choice to leave a file alone stands.
  EXPECT_THAT(*command(kClang, "-fsanitize=undefined -fno-sanitize=thread a.c"), Not(Contains("-Xclang")));
}

TEST(WrapperTest, ThePluginIsForItsClangOnly) {
  const std::string option = "-fpass-plugin=/r/ravel_clang19.so";
  EXPECT_THAT(*command(kClang, "-c a.c"), Not(Contains(option)));
  const Compiler clang{kClang.path, Family::Clang, "/r/ravel_clang19.so"};
  for (const char* line : {"-c a.c", "-flto a.o", "-S a.c -fsanitize=undefined", "a.c -fsanitize=undefined"})
    EXPECT_THAT(*command(clang, line), Contains(option)) << line;
  // Lines that have no use for it must not fail under -Werror.
  const Words words = *command(clang, "-Werror a.o");
  EXPECT_LT(std::ranges::find(words, "--start-no-unused-arguments"), std::ranges::find(words, option));
  EXPECT_LT(std::ranges::find(words, option), std::ranges::find(words, "--end-no-unused-arguments"));
  EXPECT_THAT(*command(clang, "--version"), Not(Contains(option)));
}

TEST(WrapperTest, RefusesWhatCannotWork) {
  for (const char* name : {"address", "memory", "leak", "hwaddress"}) {
    const auto refused = command(kGcc, std::string("-c a.c -fsanitize=") + name);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_THAT(refused.error().message, HasSubstr(std::string("-fsanitize=") + name));
    EXPECT_EQ(refused.error().exit_code, kExitUsage);
  }
  EXPECT_FALSE(command(kGcc, "-static a.c").has_value());
  EXPECT_FALSE(command(kClang, "-static-pie a.o").has_value());
  EXPECT_TRUE(command(kGcc, "-static -c a.c").has_value());
  EXPECT_TRUE(command(kGcc, "-fsanitize=undefined -c a.c").has_value());
}

TEST(WrapperTest, AssemblerGetsNoLineNumbersOfOurs) {
  EXPECT_THAT(*command(kGcc, "-c a.s"), Not(Contains("-g1")));
  EXPECT_THAT(*command(kGcc, "-c a.c"), Contains("-g1"));
}

TEST(CompilerTest, EachDriverHasItsPartner) {
  const auto pair = [](const std::string& name) {
    return Words{driver_for(Language::C, name), driver_for(Language::Cxx, name)};
  };
  for (const char* name : {"gcc", "g++"}) EXPECT_THAT(pair(name), ElementsAre("gcc", "g++"));
  for (const char* name : {"clang-19", "clang++-19"})
    EXPECT_THAT(pair(name), ElementsAre("clang-19", "clang++-19"));
  for (const char* name : {"/opt/g++/x86_64-linux-gnu-gcc-12.2", "/opt/g++/x86_64-linux-gnu-g++-12.2"})
    EXPECT_THAT(pair(name),
                ElementsAre("/opt/g++/x86_64-linux-gnu-gcc-12.2", "/opt/g++/x86_64-linux-gnu-g++-12.2"));
  EXPECT_THAT(pair("c++"), ElementsAre("cc", "c++"));
  for (const char* name : {"/usr/bin/icx", "clang-format", "mycc"})
    EXPECT_THAT(pair(name), ElementsAre(name, name));
}

TEST(CompilerTest, NamesAndFoldersTellTheVersionOfClang) {
  EXPECT_EQ(clang_version("/nowhere/clang++-19"), 19);
  EXPECT_EQ(clang_version("/nowhere/clang-14"), 14);
  EXPECT_EQ(clang_version("/nowhere/llvm-19/bin/clang++"), 19);
  EXPECT_EQ(clang_version("/nowhere/llvm-19.1.7/bin/clang"), 19);
  EXPECT_EQ(clang_version("/nowhere/llvm-14/bin/clang-19"), 19);
  for (const char* path :
       {"/nowhere/clang++", "/nowhere/clang-format", "/nowhere/x86-clang", "/nowhere/llvm/bin/clang"})
    EXPECT_EQ(clang_version(path), 0) << path;
}

TEST(CompilerTest, AWrapperIsNoCompiler) {
  const auto found = find_compiler(Language::Cxx, RAVEL_BUILD_DIR "/bin/ravel-c++");
  EXPECT_FALSE(found.has_value());
}

TEST(CompilerTest, MissingOnesAreNamed) {
  const auto found = find_compiler(Language::C, "/nowhere/clang++-99");
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message, HasSubstr("/nowhere/clang-99"));
}

}  // namespace
}  // namespace ravel::instrument

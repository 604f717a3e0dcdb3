#include "instrument/invocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "instrument/response_file.h"

namespace ravel::instrument {
namespace {

using testing::ElementsAre;
using Words = std::vector<std::string>;

// The words of a line without quotes.
Invocation parse(const std::string& line) { return Invocation::parse(split_response(line)); }

TEST(InvocationTest, LinksUnlessToldToStopBefore) {
  for (const char* line : {"a.c", "a.o", "a.c b.o -o p", "-shared a.o", "-x c -", "-MD -MF a.d a.c",
                           "-MMD a.c", "a.s", "-shared -o l.so -Wl,--whole-archive,liba.a", "-lfoo", "-l foo",
                           "-Xlinker liba.a", "-v a.o", "a.h b.c"})
    EXPECT_TRUE(parse(line).links) << line;
  for (const char* line :
       {"-c a.c", "-S a.c", "-E a.c", "-M a.c", "-MM a.c", "-fsyntax-only a.c", "-r a.o b.o", "-Wl,-r a.o",
        "-Xlinker -r a.o", "-Wl,-z,defs,--relocatable a.o", "a.hpp", "-x c++-header a", "--analyze a.c", "",
        "-v", "-o p", "-I dir -include a.h -v", "-x c", "-MF a.d"})
    EXPECT_FALSE(parse(line).links) << line;
}

TEST(InvocationTest, ValuesOfOptionsAreNoInputs) {
  EXPECT_FALSE(parse("-o out -x c -I inc -L lib -D A -U B -include x.h -isystem d -MT t -Xclang y -mllvm z "
                     "-T script -u sym -z now -e entry --param p=1")
                   .has_input);
  EXPECT_TRUE(parse("-o out in").has_input);
  EXPECT_TRUE(parse("-").has_input);
  EXPECT_TRUE(parse("-- -odd.c").has_input);
  // The value of -o is not the option -c.
  EXPECT_TRUE(parse("a.c -o -c").links);
}

TEST(InvocationTest, QuestionsAreToldFromWork) {
  for (const char* line : {"--version", "-dumpmachine", "-print-search-dirs", "--print-file-name=libc.so",
                           "--help=warnings", "-dumpversion", "-cc1 -triple x a.c"})
    EXPECT_TRUE(parse(line).asks) << line;
  EXPECT_FALSE(parse("-v a.c").asks);
}

TEST(InvocationTest, LanguageOptionsDecideUntilNone) {
  EXPECT_TRUE(parse("-c a.s").only_asm);
  EXPECT_TRUE(parse("-c -x assembler-with-cpp a").only_asm);
  EXPECT_TRUE(parse("-c -xassembler a.c").only_asm);
  EXPECT_FALSE(parse("-c -x c a.s").only_asm);
  EXPECT_FALSE(parse("-c -x assembler a -x none b.c").only_asm);
  EXPECT_FALSE(parse("-c a.S b.c").only_asm);
}

TEST(InvocationTest, TheLastWordOnASanitizerCounts) {
  EXPECT_THAT(parse("-fsanitize=address,undefined -fno-sanitize=address").sanitizers,
              ElementsAre("undefined"));
  EXPECT_TRUE(parse("-fsanitize=address -fno-sanitize=all").sanitizers.empty());
  EXPECT_TRUE(parse("-fsanitize=thread").sanitizers.empty());
  EXPECT_TRUE(parse("-fsanitize=thread -fno-sanitize=thread").thread_off);
  EXPECT_FALSE(parse("-fno-sanitize=all -fsanitize=thread").thread_off);
}

TEST(InvocationTest, OnlyFullyStaticLinksAreStatic) {
  EXPECT_TRUE(parse("-static a.c").is_static);
  EXPECT_TRUE(parse("-static-pie a.c").is_static);
  EXPECT_FALSE(parse("-static-libgcc -static-libstdc++ a.c").is_static);
}

TEST(InvocationTest, OwnOptionsAreTakenOut) {
  const Invocation invocation = parse("--ravel-compiler=clang++ -c -static-libtsan a.c");
  EXPECT_THAT(invocation.own, ElementsAre("--ravel-compiler=clang++"));
  EXPECT_THAT(invocation.arguments, ElementsAre("-c", "a.c"));
}

class ResponseFileTest : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return "@" + (folder_ / name).string();
  }
  ResponseFileTest() { std::filesystem::create_directories(folder_); }
  ~ResponseFileTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ravel-response-" + std::to_string(::getpid()));
};

TEST_F(ResponseFileTest, IsReadButPassedOnAsItIs) {
  const std::string argument = write("a", "-c\n\"x y.c\"\n");
  const Invocation invocation = Invocation::parse(Words{argument});
  EXPECT_TRUE(invocation.has_input);
  EXPECT_FALSE(invocation.links);
  EXPECT_THAT(invocation.arguments, ElementsAre(argument));
}

TEST_F(ResponseFileTest, IsOpenedWhenItHoldsAnOptionOfOurs) {
  const std::string inner = write("b", "-c 'x y.c' --ravel-compiler=gcc");
  const Invocation invocation = Invocation::parse(Words{write("a", "-O1 " + inner), "-v"});
  EXPECT_THAT(invocation.arguments, ElementsAre("-O1", "-c", "x y.c", "-v"));
  EXPECT_THAT(invocation.own, ElementsAre("--ravel-compiler=gcc"));
}

TEST_F(ResponseFileTest, CanHoldAValueForTheOptionBefore) {
  EXPECT_TRUE(Invocation::parse(Words{"a.c", "-o", write("a", "-c")}).links);
}

TEST_F(ResponseFileTest, ThatNamesItselfEnds) {
  const std::string self = "@" + (folder_ / "a").string();
  write("a", self + " a.c");
  EXPECT_TRUE(Invocation::parse(Words{self}).has_input);
}

TEST_F(ResponseFileTest, ThatDoesNotExistIsAnArgument) {
  EXPECT_THAT(expand_response("@/nowhere/at/all"), ElementsAre("@/nowhere/at/all"));
}

TEST(SplitResponseTest, QuotesAsGccDoes) {
  EXPECT_THAT(split_response(R"(a 'b c' "d e" f\ g)"), ElementsAre("a", "b c", "d e", "f g"));
  EXPECT_THAT(split_response(R"(-DX=\"y\" '\'' "\"" a'b'c)"), ElementsAre("-DX=\"y\"", "'", "\"", "abc"));
  EXPECT_THAT(split_response("\n a\r\n\t'' b"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_response("'open end"), ElementsAre("open end"));
  EXPECT_THAT(split_response("a\\"), ElementsAre("a"));
}

}  // namespace
}  // namespace ravel::instrument

#include "report/fingerprint.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/report/support.h"

namespace ravel {
namespace {

const FingerprintPart kWrite{
    .function = "_Z7depositi", .access = EventKind::Write, .source_line = "balance += x;", .line_offset = 3};
const FingerprintPart kRead{
    .function = "_Z5printv", .access = EventKind::Read, .source_line = "show(balance);", .line_offset = 1};

std::string id(const std::vector<FingerprintPart>& parts) {
  return fingerprint(FindingKind::Race, "balance", parts);
}

constexpr const char* kProgram =
    "int balance;\n"
    "void deposit(int x) {\n"
    "  balance += x;\n"
    "}\n"
    "int get() { return balance; }\n";

/// The id of the race in kProgram, `shift` lines further down in `file`.
std::string id_of_program(const std::string& file, std::uint64_t shift) {
  SourceLines lines;
  const Place deposit{file, 3 + shift, "_Z7depositi"};
  const Place get{file, 5 + shift, "_Z3getv"};
  return id({fingerprint_part(deposit, EventKind::Write, lines, 2 + shift),
             fingerprint_part(get, EventKind::Read, lines, 5 + shift)});
}

TEST(Fingerprint, is_sixteen_hexadecimal_digits) {
  EXPECT_EQ(id({kWrite}).size(), 16u);
  EXPECT_EQ(id({kWrite}).find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Fingerprint, survives_lines_inserted_above_and_another_checkout) {
  const TemporaryDirectory directory;
  const std::string plain = id_of_program(directory.write("one/bank.cpp", kProgram), 0);
  EXPECT_EQ(id_of_program(directory.write("later/bank.cpp", std::string(10, '\n') + kProgram), 10), plain);
  EXPECT_EQ(id_of_program(directory.write("other/checkout/bank.cpp", kProgram), 0), plain);
}

TEST(Fingerprint, survives_the_same_without_source) {
  const std::string plain = id_of_program("gone/bank.cpp", 0);
  EXPECT_EQ(id_of_program("gone/bank.cpp", 10), plain);
  EXPECT_EQ(id_of_program("elsewhere/bank.cpp", 0), plain);
}

TEST(Fingerprint, survives_other_location_numbers_in_a_trace_without_functions) {
  SourceLines lines;
  const auto at = [&](std::uint64_t number) {
    return id({fingerprint_part({"", number, ""}, EventKind::Write, lines, 0),
               fingerprint_part({"", number + 7, ""}, EventKind::Read, lines, 0)});
  };
  EXPECT_EQ(at(3), at(99));
}

TEST(Fingerprint, takes_lines_of_a_trace_for_location_numbers) {
  SourceLines lines(RAVEL_SOURCE_DIR);
  const Place line{"examples/bank-account.tid", 5, ""};
  ASSERT_FALSE(lines.line(line.file, line.line).empty());
  EXPECT_EQ(id({fingerprint_part(line, EventKind::Read, lines, 0)}),
            id({fingerprint_part({"", 1, ""}, EventKind::Read, lines, 0)}));
}

TEST(Fingerprint, survives_reformatting_of_the_line) {
  FingerprintPart spaced = kWrite;
  spaced.source_line = "\t balance  +=\tx; \r";
  EXPECT_EQ(id({spaced}), id({kWrite}));
}

TEST(Fingerprint, is_of_the_set_of_accesses) {
  EXPECT_EQ(id({kWrite, kRead}), id({kRead, kWrite}));
  EXPECT_EQ(id({kWrite, kRead, kWrite}), id({kRead, kWrite}));
}

TEST(Fingerprint, a_retroactive_access_is_the_access) {
  FingerprintPart late = kWrite;
  late.access = EventKind::RetroWrite;
  EXPECT_EQ(id({late}), id({kWrite}));
}

TEST(Fingerprint, tells_apart_what_differs) {
  const std::string plain = id({kWrite});
  FingerprintPart other = kWrite;
  other.function = "_Z8withdrawi";
  EXPECT_NE(id({other}), plain);
  other = kWrite;
  other.access = EventKind::AtomicStore;
  EXPECT_NE(id({other}), plain);
  other = kWrite;
  other.source_line = "balance -= x;";
  EXPECT_NE(id({other}), plain);
  other.source_line = "";
  FingerprintPart further = other;
  further.line_offset = 4;
  EXPECT_NE(id({other}), id({further}));
  EXPECT_NE(id({kWrite, kRead}), plain);
  EXPECT_NE(fingerprint(FindingKind::Atomicity, "balance", std::array{kWrite}), plain);
  EXPECT_NE(fingerprint(FindingKind::Race, "limit", std::array{kWrite}), plain);
}

TEST(Fingerprint, where_one_text_ends_and_the_next_begins_matters) {
  // Written one after the other without their lengths, both are "rdsourceyrdsourcez".
  const FingerprintPart a{
      .function = "", .access = EventKind::Read, .source_line = "yrdsourcez", .line_offset = 0};
  const FingerprintPart b{
      .function = "rdsourcey", .access = EventKind::Read, .source_line = "z", .line_offset = 0};
  EXPECT_NE(id({a}), id({b}));
}

// Baselines and suppressions of users hold ids: a change of this value is a change of the format.
TEST(Fingerprint, is_the_same_in_every_release) { EXPECT_EQ(id({kWrite, kRead}), "a8e098ed98810561"); }

TEST(SourceLines, gives_lines_without_their_ends) {
  const TemporaryDirectory directory;
  directory.write("a.c", "one\r\n\nthree");
  SourceLines lines(directory.path());
  EXPECT_EQ(lines.line("a.c", 1), "one");
  EXPECT_EQ(lines.line("a.c", 2), "");
  EXPECT_EQ(lines.line("a.c", 3), "three");
  EXPECT_EQ(lines.line("a.c", 4), "");
  EXPECT_EQ(lines.line("a.c", 0), "");
  EXPECT_EQ(lines.line("a.c", UINT64_MAX), "");
}

TEST(SourceLines, what_is_no_regular_file_has_no_lines) {
  const TemporaryDirectory directory;
  SourceLines lines(directory.path());
  EXPECT_EQ(lines.line("missing.c", 1), "");
  EXPECT_EQ(lines.line(directory.path(), 1), "");
  EXPECT_EQ(lines.line("/dev/zero", 1), "");
  EXPECT_EQ(lines.line(std::string(100'000, 'x'), 1), "");
  EXPECT_EQ(lines.line("", 1), "");
}

TEST(SourceLines, reads_a_file_once) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.c", "one\n");
  SourceLines lines;
  const std::string_view first = lines.line(file, 1);
  std::filesystem::remove(file);
  for (int i = 0; i < 100; ++i) lines.line("other" + std::to_string(i), 1);
  EXPECT_EQ(first, "one");
  EXPECT_EQ(lines.line(file, 1), "one");
}

}  // namespace
}  // namespace ravel

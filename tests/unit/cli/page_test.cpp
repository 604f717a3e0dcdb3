// Help, man page and completions are printed from a CLI11 tree; these tests print one made here.
#include "cli/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/page_printers.h"

namespace ravel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class PageTest : public ::testing::Test {
 protected:
  PageTest() {
    root_.set_help_flag("-h,--help", "Print this help");
    CLI::App* cook = root_.add_subcommand("cook", "Cook a meal\n\nSlowly. It's 'worth' [the] wait: really.");
    cook->add_option("DISH", dishes_, "What to cook")->required()->type_name("FILE");
    cook->add_option("-s,--style", style_, "How")->type_name("STYLE")->check(one_of({"thai", "plain"}));
    cook->add_flag("--hot", hot_, "Use chilli");
    cook->footer("Example:\n  kitchen cook rice\n  .dots and \\slashes");
    CLI::App* wash = root_.add_subcommand("wash", "Clean up");
    wash->add_subcommand("plates", "Wash plates");
  }

  CLI::App root_{"makes food", "kitchen"};
  std::vector<std::string> dishes_;
  std::string style_;
  bool hot_ = false;
};

TEST_F(PageTest, DescribesWhatTheTreeSays) {
  const Page page = describe(root_);
  EXPECT_EQ(page.name, "kitchen");
  ASSERT_EQ(page.commands.size(), 2U);
  const Page& cook = page.commands[0];
  EXPECT_EQ(cook.name, "kitchen cook");
  EXPECT_EQ(cook.summary, "Cook a meal");
  EXPECT_EQ(cook.details, "Slowly. It's 'worth' [the] wait: really.");
  EXPECT_EQ(usage(cook), "kitchen cook [OPTIONS] DISH...");
  ASSERT_EQ(cook.options.size(), 3U);
  EXPECT_THAT(cook.options[1].names, ElementsAre("-s", "--style"));
  EXPECT_EQ(cook.options[1].value, "STYLE");
  EXPECT_THAT(cook.options[1].choices, ElementsAre("thai", "plain"));
  EXPECT_FALSE(cook.options[1].list);
  EXPECT_EQ(cook.options[2].value, "") << "a flag has no value";
  EXPECT_EQ(page.commands[1].commands[0].name, "kitchen wash plates");
}

TEST_F(PageTest, HelpListsCommandsArgumentsAndOptions) {
  EXPECT_THAT(print_help(describe(root_)), HasSubstr("  cook  Cook a meal\n  wash  Clean up\n"));
  const std::string cook = print_help(describe(root_).commands[0]);
  EXPECT_THAT(cook, HasSubstr("Usage: kitchen cook [OPTIONS] DISH...\n"));
  EXPECT_THAT(cook, HasSubstr("\n  DISH...  What to cook\n"));
  EXPECT_THAT(cook, HasSubstr("  -s, --style STYLE  How: thai, plain\n"));
  EXPECT_THAT(cook, HasSubstr("  kitchen cook rice\n"));
}

TEST_F(PageTest, HelpWrapsLongLines) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  root_.add_option("--long", style_, words)->type_name("TEXT");
  const std::string help = print_help(describe(root_));
  for (std::size_t start = 0; start < help.size();) {
    const std::size_t end = help.find('\n', start);
    EXPECT_LE(end - start, 100U) << help.substr(start, end - start);
    start = end + 1;
  }
}

TEST_F(PageTest, ManPageKeepsTroffFromReadingTheText) {
  const std::string man = print_man(describe(root_), "1.2-3");
  EXPECT_THAT(man, HasSubstr(".TH RAVEL 1 \"\" \"kitchen 1.2\\-3\""));
  EXPECT_THAT(man, HasSubstr("\\fB\\-s\\fR, \\fB\\-\\-style\\fR \\fISTYLE\\fR\nHow: thai, plain.\n"));
  EXPECT_THAT(man, HasSubstr("  .dots and \\eslashes"));
  EXPECT_THAT(man, HasSubstr(".SS \"kitchen wash plates"));
}

TEST_F(PageTest, EveryShellLearnsEveryNameAndChoice) {
  const Page page = describe(root_);
  for (const std::string& script :
       {print_bash_completion(page), print_zsh_completion(page), print_fish_completion(page)}) {
    for (const char* word : {"cook", "wash", "plates", "style", "hot", "thai", "plain"})
      EXPECT_THAT(script, HasSubstr(word));
    EXPECT_THAT(script, Not(HasSubstr("STYLE:{")));
  }
}

TEST_F(PageTest, OneOfNamesTheChoices) {
  EXPECT_NO_THROW(root_.parse("cook rice --style thai", false));
  try {
    root_.parse("cook rice --style thia", false);
    FAIL() << "thia is no style";
  } catch (const CLI::ValidationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'thia' is none of thai, plain"));
  }
}

}  // namespace
}  // namespace ravel

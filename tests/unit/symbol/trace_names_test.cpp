// Places, stacks and addresses of a recorded program to names.
#include "symbol/trace_names.h"

#include <gmock/gmock.h>

#include "program.h"

namespace ravel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kProgram = R"(#include "mark.h"
#include <vector>
struct Account {
  long balance[2];
};
Account accounts[3];
struct Visitor {
  bool operator()(int) const {
    MARK("visit");
    return true;
  }
};
template <typename F>
void each(std::vector<int>& list, F f) {
  for (int i : list) f(i);
}
int main() {
  MARK("main");
  std::vector<int> list(1);
  each(list, Visitor());
  AT("accounts", &accounts);
}
)";

class TraceNamesTest : public Program {
 protected:
  TraceNamesTest() {
    write("p.cpp", kProgram);
    binary_ = compile("g++ -g -O0", "p.cpp");
    at_ = addresses(binary_);
    tables_.modules.push_back(
        {.path = binary_, .build_id = "", .base = kBias + 4096, .bias = kBias, .size = 4096});
  }

  PlaceId place(std::uint64_t offset, ModuleId module = ModuleId(0U)) {
    Place code;
    code.file = module.index() < tables_.modules.size() ? tables_.modules[module.index()].path : "";
    code.module = module;
    code.offset = offset;
    tables_.places.push_back(code);
    return PlaceId(tables_.places.size() - 1);
  }
  StackId call(PlaceId from, StackId parent = {}) {
    tables_.stacks.push_back({.parent = parent, .call = from});
    return StackId(tables_.stacks.size() - 1);
  }
  static std::vector<std::string> functions(const std::vector<SourceFrame>& frames) {
    std::vector<std::string> names;
    for (const SourceFrame& frame : frames)
      names.push_back(frame.function + ":" + std::to_string(frame.line));
    return names;
  }

  static constexpr std::uint64_t kBias = 0x7f12'3000'0000;
  std::string binary_;
  std::map<std::string, std::uint64_t> at_;
  Tables tables_;
};

TEST_F(TraceNamesTest, StacksAreThePlaceAndTheCallsAroundIt) {
  const PlaceId visit = place(at_["visit"]), in_main = place(at_["main"]);
  const StackId from_main = call(in_main);
  TraceNames names(tables_);
  EXPECT_THAT(functions(names.frames(visit, from_main)),
              ElementsAre("Visitor::operator()(int) const:9", "main:18"));
  EXPECT_THAT(functions(names.frames(visit, {})), ElementsAre("Visitor::operator()(int) const:9"));
  EXPECT_EQ(place_text(*names.shown(visit, from_main)), path("p.cpp") + ":9");
  EXPECT_THAT(names.notes(), IsEmpty());
}

TEST_F(TraceNamesTest, ShowsTheUsersFrameRatherThanTheStandardLibrarys) {
  // std::vector<int>::begin() is called at -O0, so its first byte is code of a system header.
  const std::string symbol = shell("nm " + binary_ + " | grep ' W _ZNSt6vectorIiSaIiEE5beginEv'");
  const PlaceId begin = place(std::stoull(symbol, nullptr, 16)), in_main = place(at_["main"]);
  const StackId stack = call(in_main);
  TraceNames names(tables_);
  ASSERT_TRUE(is_system_file(names.frames(begin, stack).at(0).file)) << names.frames(begin, stack).at(0).file;
  EXPECT_EQ(place_text(*names.shown(begin, stack)), path("p.cpp") + ":18");
  EXPECT_EQ(names.shown_place(begin, stack), in_main);
  EXPECT_EQ(names.shown_place(begin, {}), begin);
  EXPECT_TRUE(is_system_file(names.shown(begin, {})->file));
}

TEST_F(TraceNamesTest, DataOfTheProcessIsFoundThroughTheModuleMap) {
  TraceNames names(tables_);
  const std::uint64_t address = at_["accounts"] + kBias;
  EXPECT_EQ(names.data(address + 16 + 8).value().name, "accounts[1].balance[1]");
  EXPECT_EQ(canonical_object(names.data(address + 16 + 8).value()), "accounts[].balance[]");
  EXPECT_FALSE(names.data(at_["accounts"]));
  EXPECT_FALSE(names.data(kBias + (1 << 20)));
}

TEST_F(TraceNamesTest, UnreadableModulesKeepTheirPathAndOffset) {
  tables_.modules.push_back({.path = path("gone.so"), .build_id = "", .base = 0, .bias = 0, .size = 0});
  const PlaceId gone = place(0x1234, ModuleId(1U));
  TraceNames names(tables_);
  EXPECT_EQ(place_text(*names.shown(gone, {})), path("gone.so") + "+0x1234");
  names.frames(gone, {});
  EXPECT_EQ(names.notes().size(), 1);
}

TEST_F(TraceNamesTest, PlacesWithoutModulesAreWhatTheTraceSays) {
  tables_.places = {{.file = "bank.cpp", .line = 12, .function = "deposit"},
                    {.file = "", .line = 7, .function = ""}};
  TraceNames names(tables_);
  EXPECT_EQ(place_text(*names.shown(PlaceId(0U), {})), "bank.cpp:12");
  EXPECT_EQ(names.shown(PlaceId(0U), {})->linkage_name, "deposit");
  EXPECT_EQ(place_text(*names.shown(PlaceId(1U), {})), "7");
  EXPECT_EQ(names.shown(PlaceId(99U), {}), nullptr);
  EXPECT_EQ(names.shown(PlaceId(0U), StackId(99U))->line, 12);
}

}  // namespace
}  // namespace ravel::test

// Findings about a recorded program: modules and addresses become names.
#include <gmock/gmock.h>

#include "analysis/chain.h"
#include "trace/memory_reader.h"
#include "unit/symbol/program.h"

namespace ravel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kProgram = R"(#include "mark.h"
#include <mutex>
#include <vector>
struct Bank {
  std::mutex lock;
  long balance[4];
};
Bank bank;
__attribute__((always_inline)) inline void add(long& to) {
  MARK("add");
  ++to;
}
__attribute__((noinline)) void deposit(int account) {
  add(bank.balance[account]);
}
__attribute__((noinline)) long total() {
  MARK("total");
  return bank.balance[0];
}
int main() {
  deposit(0);
  total();
  MARK("main");
  AT("bank", &bank);
}
)";

class Names : public Program {
 protected:
  static void SetUpTestSuite() {
    directory = std::make_unique<TemporaryDirectory>();
    directory->file("mark.h", kMarkHeader);
    directory->file("p.cpp", kProgram);
    binary = directory->file("p");
    shell("cd " + directory->file("") + " && g++ -g -O2 -pthread -o p p.cpp");
    at = addresses(binary);
  }
  static void TearDownTestSuite() { directory.reset(); }

  /// A run in which two threads race at add() and total(), loaded at `bias`.
  static Tables tables(std::uint64_t bias) {
    Tables tables;
    tables.threads = {"main", "teller"};
    tables.modules = {{.path = binary, .build_id = "", .base = bias, .bias = bias, .size = 1 << 20}};
    for (const char* label : {"add", "total", "main"}) {
      Place place;
      place.file = binary;
      place.module = ModuleId(0U);
      place.offset = at.at(label);
      tables.places.push_back(place);
    }
    tables.stacks = {{.parent = {}, .call = PlaceId(2U)}};
    return tables;
  }
  static Event event(EventKind kind, unsigned thread, std::uint64_t target, unsigned place,
                     std::uint32_t width = 8) {
    Event event;
    event.kind = kind;
    event.thread = ThreadId(thread);
    event.target = target;
    event.place = PlaceId(place);
    event.stack = StackId(0U);
    event.width = width;
    return event;
  }
  static std::vector<Finding> findings(const Tables& tables, std::vector<Event> events,
                                       std::vector<std::string>* notes = nullptr) {
    for (std::size_t i = 0; i < events.size(); ++i) events[i].position = i + 1;
    MemoryReader trace({}, tables, std::move(events));
    return analyze(trace, find_analyses("hb").value(), {}, notes).value();
  }
  static std::vector<Event> race_on(std::uint64_t address, std::uint64_t lock) {
    return {event(EventKind::Acquire, 0, lock, 2), event(EventKind::Write, 0, address, 0),
            event(EventKind::Release, 0, lock, 2), event(EventKind::Read, 1, address, 1)};
  }

  static constexpr std::uint64_t kBalance = 40 + 2 * 8;  ///< of bank.balance[2]
  static inline std::unique_ptr<TemporaryDirectory> directory;
  static inline std::string binary;
  static inline std::map<std::string, std::uint64_t> at;
};

TEST_F(Names, RaceOnAGlobalHasNamesStacksAndLocks) {
  const std::uint64_t bank = 0x5555'0000'0000 + at.at("bank");
  const auto found = findings(tables(0x5555'0000'0000), race_on(bank + kBalance, bank));
  ASSERT_EQ(found.size(), 1);
  const Finding& race = found[0];
  const std::string source = directory->file("p.cpp");
  EXPECT_EQ(race.object, "bank.balance[2]");
  EXPECT_THAT(race.places, ElementsAre(source + ":10", source + ":17"));
  ASSERT_EQ(race.stacks.size(), 2);
  EXPECT_THAT(race.stacks[0],
              ElementsAre(Frame{"add(long&)", source + ":10"}, Frame{"deposit(int)", source + ":14"},
                          Frame{"main", source + ":23"}));
  EXPECT_THAT(race.stacks[1], ElementsAre(Frame{"total()", source + ":17"}, Frame{"main", source + ":23"}));
  EXPECT_THAT(race.steps[0].locks, ElementsAre("bank.lock"));
  EXPECT_THAT(race.steps[1].locks, IsEmpty());
  EXPECT_EQ(race.steps[0].place, source + ":10");
}

TEST_F(Names, IdIsTheSameWhereverTheProgramIsLoadedAndWhicheverElementRaces) {
  const auto id = [](std::uint64_t bias, std::uint64_t element) {
    const std::uint64_t bank = bias + at.at("bank");
    return findings(tables(bias), race_on(bank + 40 + 8 * element, bank)).at(0).id;
  };
  EXPECT_EQ(id(0x5555'0000'0000, 0), id(0x5666'0000'0000, 3));
  const std::uint64_t heap = 0x7000'0000'0000;
  const auto other = findings(tables(0x5555'0000'0000), race_on(heap, heap + 64));
  EXPECT_NE(other.at(0).id, id(0x5555'0000'0000, 0));
  EXPECT_EQ(other.at(0).id, findings(tables(0x5555'0000'0000), race_on(heap + 4096, heap)).at(0).id);
}

TEST_F(Names, HeapBlocksAreNamedAfterTheirAllocation) {
  const std::uint64_t heap = 0x7000'0000'0000;
  std::vector<Event> events = {
      event(EventKind::Alloc, 0, heap, 2, 16),     event(EventKind::Free, 0, heap, 2, 16),
      event(EventKind::Alloc, 0, heap - 8, 0, 48), event(EventKind::Fork, 0, 1, 2),
      event(EventKind::Write, 0, heap, 0),         event(EventKind::Write, 1, heap, 1)};
  // Of memory that is used again within one batch, the block of that time counts.
  std::vector<Event> reused = events;
  reused.push_back(event(EventKind::Free, 0, heap - 8, 2, 48));
  reused.push_back(event(EventKind::Alloc, 0, heap, 2, 24));
  const std::string name = "byte 8 of 48 allocated by add(long&) at " + directory->file("p.cpp") + ":10";
  EXPECT_EQ(findings(tables(0x5555'0000'0000), events).at(0).object, name);
  bool seen = false;
  for (const Finding& finding : findings(tables(0x5555'0000'0000), reused)) seen |= finding.object == name;
  EXPECT_TRUE(seen);
}

TEST_F(Names, MissingModulesAreNoted) {
  Tables gone = tables(0x5555'0000'0000);
  gone.modules[0].path = directory->file("gone");
  for (Place& place : gone.places) place.file = gone.modules[0].path;
  std::vector<std::string> notes;
  const auto found = findings(gone, race_on(0x5555'0000'1000, 0x5555'0000'2000), &notes);
  EXPECT_EQ(found.at(0).object, "0x555500001000");
  EXPECT_THAT(found.at(0).places.at(0), ::testing::StartsWith(gone.modules[0].path + "+0x"));
  EXPECT_EQ(notes.size(), 1);
}

}  // namespace
}  // namespace ravel::test

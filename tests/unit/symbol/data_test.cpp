// Data addresses to variables and the parts of them, and the layouts of classes.
#include <gmock/gmock.h>

#include "program.h"
#include "symbol/symbolizer.h"

namespace ravel::test {
namespace {

using ::testing::AnyOf;

constexpr std::string_view kVariables = R"(#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <pthread.h>
#include "mark.h"
struct Limit {
  int hard;
  int soft;
};
struct Config {
  char name[16];
  Limit limits[4];
  union {
    long number;
    struct {
      int low;
      int high;
    };
  };
};
Config config;
struct Base {
  long id = 1;
};
struct Cache : Base {
  unsigned first_flag : 3;
  unsigned second_flag : 5;
  unsigned wide : 9;
  std::mutex lock;
  std::atomic<int> hits;
  std::array<Limit, 3> array;
  static int shared;
};
int Cache::shared = 3;
namespace ns {
namespace {
Cache cache;
}
std::mutex lock;
int grid[3][5];
inline int in_header = 2;
}
struct Node {
  pthread_mutex_t lock;
  Node* next;
};
static Node table[4];
template <typename T>
struct Counter {
  static T value;
};
template <typename T>
T Counter<T>::value = 0;
__attribute__((noinline)) int* next(int step) {
  static int counter[2];
  counter[0] += step;
  return counter;
}
int main() {
  AT("name", &config.name[2]);
  AT("soft", &config.limits[3].soft);
  AT("number", &config.number);
  AT("high", &config.high);
  AT("config", &config);
  AT("id", &ns::cache.id);
  AT("flags", (char*)&ns::cache.lock - 8);
  AT("lock", &ns::cache.lock);
  AT("hits", &ns::cache.hits);
  AT("array", &ns::cache.array[2].soft);
  AT("shared", &Cache::shared);
  AT("global", &ns::lock);
  AT("grid", &ns::grid[2][4]);
  AT("in_header", &ns::in_header);
  AT("table", (char*)&table[3].lock + 12);
  AT("next", &table[2].next);
  AT("template", &Counter<long>::value);
  AT("static", next(1) + 1);
}
)";

class Data : public Program, public ::testing::WithParamInterface<std::string> {
 protected:
  /// Compiled once for all tests of the suite.
  const std::string& binary() {
    static std::map<std::string, std::string> built;
    static const TemporaryDirectory directory;
    const auto [entry, fresh] = built.try_emplace(GetParam());
    if (fresh) {
      write("p.cpp", kVariables);
      entry->second = directory.file("p" + std::to_string(built.size()));
      compile(GetParam() + " -std=c++17 -pthread", "p.cpp", entry->second);
    }
    return entry->second;
  }
};

TEST_P(Data, NamesVariablesAndThePartsOfThem) {
  const auto at = addresses(binary());
  Symbolizer symbols;
  const auto name = [&](const char* label) {
    const auto data = symbols.data(binary(), "", at.at(label));
    return data ? data->name : "(unknown)";
  };
  EXPECT_EQ(name("name"), "config.name[2]");
  EXPECT_EQ(name("soft"), "config.limits[3].soft");
  EXPECT_EQ(name("number"), "config.number");
  EXPECT_THAT(name("high"), AnyOf("config.number", "config.high"));
  EXPECT_EQ(name("config"), "config.name[0]");
  EXPECT_EQ(name("id"), "ns::(anonymous namespace)::cache.id");
  EXPECT_EQ(name("flags"), "ns::(anonymous namespace)::cache.first_flag|second_flag");
  EXPECT_EQ(name("lock"), "ns::(anonymous namespace)::cache.lock");
  EXPECT_EQ(name("hits"), "ns::(anonymous namespace)::cache.hits");
  EXPECT_EQ(name("array"), "ns::(anonymous namespace)::cache.array[2].soft");
  EXPECT_EQ(name("shared"), "Cache::shared");
  EXPECT_EQ(name("global"), "ns::lock");
  EXPECT_EQ(name("grid"), "ns::grid[2][4]");
  EXPECT_EQ(name("in_header"), "ns::in_header");
  EXPECT_EQ(name("table"), "table[3].lock");
  EXPECT_EQ(name("next"), "table[2].next");
  EXPECT_EQ(name("template"), "Counter<long>::value");
  EXPECT_EQ(name("static"), "counter[1] (static in next(int))");

  const DataObject soft = symbols.data(binary(), "", at.at("soft")).value();
  EXPECT_EQ(soft.object, "config");
  EXPECT_EQ(soft.linkage_name, "config");
  EXPECT_EQ(soft.path, ".limits[3].soft");
  EXPECT_EQ(soft.type, "Config");
  EXPECT_THAT(soft.file, ::testing::MatchesRegex("/.*/ravel-test-[^/]*/p.cpp"));
  EXPECT_EQ(soft.line, 22);
  EXPECT_EQ(soft.address, at.at("config"));
  EXPECT_EQ(soft.size, 56);
  EXPECT_EQ(symbols.data(binary(), "", at.at("static")).value().object, "next(int)::counter");
  EXPECT_EQ(symbols.data(binary(), "", at.at("grid")).value().type, "int[3][5]");
  EXPECT_EQ(symbols.data(binary(), "", at.at("global")).value().type, "std::mutex");
}

TEST_P(Data, LaysClassesOut) {
  Symbolizer symbols;
  const ClassLayout* const cache = symbols.layout(binary(), "", "Cache");
  ASSERT_NE(cache, nullptr);
  EXPECT_EQ(cache->name, "Cache");
  EXPECT_EQ(cache->line, 26);
  EXPECT_EQ(cache->size, 88);
  EXPECT_THAT(cache->fields,
              ::testing::ElementsAre(
                  Field{.name = "", .type = "Base", .size = 8, .base = true},
                  Field{.name = "first_flag", .type = "unsigned int", .offset = 8, .size = 1, .bit_size = 3},
                  Field{.name = "second_flag",
                        .type = "unsigned int",
                        .offset = 8,
                        .size = 1,
                        .bit_offset = 3,
                        .bit_size = 5},
                  Field{.name = "wide", .type = "unsigned int", .offset = 9, .size = 2, .bit_size = 9},
                  Field{.name = "lock", .type = "std::mutex", .offset = 16, .size = 40},
                  Field{.name = "hits", .type = "std::atomic<int>", .offset = 56, .size = 4},
                  Field{.name = "array", .type = cache->fields.at(6).type, .offset = 60, .size = 24}));
  const ClassLayout* const config = symbols.layout(binary(), "", "Config");
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(config->fields.at(1),
            (Field{.name = "limits", .type = "Limit[4]", .offset = 16, .size = 32, .elements = 4}));
  EXPECT_EQ(symbols.layout(binary(), "", "NoSuchClass"), nullptr);
}

TEST_P(Data, NamesThePartsOfABlockOfMemory) {
  Symbolizer symbols;
  const auto part = [&](const char* type, std::uint64_t offset) {
    return symbols.data_in_type(binary(), "", type, offset).value_or("(unknown)");
  };
  EXPECT_EQ(part("Config", 16 + 3 * 8 + 4), "limits[3].soft");
  EXPECT_EQ(part("Node", 40), "next");
  EXPECT_EQ(part("Node", 2 * 48), "[2].lock");
  EXPECT_EQ(part("Cache", 0), "id");
  EXPECT_EQ(part("Cache", 84), "");
  EXPECT_EQ(part("NoSuchClass", 0), "(unknown)");
}

INSTANTIATE_TEST_SUITE_P(Builds, Data,
                         ::testing::Values("g++ -g -O0", "g++ -g -O2 -no-pie", "g++ -g -gdwarf-4 -O1",
                                           "g++ -g -gdwarf-4 -fdebug-types-section -O1",
                                           "g++ -g -gsplit-dwarf -O2", "clang++-19 -g -O0",
                                           "clang++-19 -g -O2 -no-pie", "clang++-19 -g -gdwarf-4 -O1",
                                           "clang++-19 -g -gsplit-dwarf -O2"));

class DataFiles : public Program {};

TEST_F(DataFiles, WithoutDebugInformationTheSymbolTableNamesVariables) {
  write("p.cpp", kVariables);
  for (const std::string compiler : {"g++ -O1", "clang++-19 -g1"}) {
    const std::string binary = compile(compiler + " -std=c++17 -pthread", "p.cpp");
    const auto at = addresses(binary);
    Symbolizer symbols;
    EXPECT_EQ(symbols.data(binary, "", at.at("global")).value().name, "ns::lock");
    EXPECT_EQ(symbols.data(binary, "", at.at("soft")).value().name, "config+44");
    EXPECT_EQ(symbols.data(binary, "", at.at("static")).value().name, "next(int)::counter+4");
    EXPECT_EQ(symbols.layout(binary, "", "Cache"), nullptr);
    EXPECT_FALSE(symbols.data_in_type(binary, "", "Cache", 0));
  }
}

TEST_F(DataFiles, TypeDefinedInAnotherUnit) {
  write("a.cpp", "struct Shared; extern Shared shared; void* address() { return &shared; }\n");
  write("b.cpp", R"(#include "mark.h"
struct Shared { long first; long second; Shared(); };
Shared::Shared() : first(1), second(2) {}
)");
  write("c.cpp", R"(#include "mark.h"
struct Shared { long first; long second; Shared(); };
Shared shared;
void* address();
int main() { AT("second", &shared.second); return address() == nullptr; }
)");
  // clang describes a class only where its constructor is.
  const std::string binary = compile("clang++-19 -g -O1", "a.cpp b.cpp c.cpp");
  Symbolizer symbols;
  EXPECT_EQ(symbols.data(binary, "", addresses(binary).at("second")).value().name, "shared.second");
}

TEST_F(DataFiles, AddressesOfNoVariableHaveNoName) {
  write("p.cpp", kVariables);
  const std::string binary = compile("g++ -g -std=c++17", "p.cpp");
  Symbolizer symbols;
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}})
    EXPECT_FALSE(symbols.data(binary, "", address)) << address;
}

TEST_F(DataFiles, C) {
  write("p.c", R"(#include "mark.h"
#include <pthread.h>
struct pool { int size; struct { pthread_mutex_t lock; void *items[8]; } shard[2]; };
static struct pool pools[2];
typedef struct { int a, b; } pair;
pair *get(void) { static pair kept; return &kept; }
int main(void) {
  AT("lock", &pools[1].shard[1].lock);
  AT("items", &pools[1].shard[0].items[7]);
  AT("kept", &get()->b);
}
)");
  for (const std::string compiler : {"gcc -g", "clang-19 -g"}) {
    const std::string binary = compile(compiler, "p.c");
    const auto at = addresses(binary);
    Symbolizer symbols;
    EXPECT_EQ(symbols.data(binary, "", at.at("lock")).value().name, "pools[1].shard[1].lock");
    EXPECT_EQ(symbols.data(binary, "", at.at("items")).value().name, "pools[1].shard[0].items[7]");
    EXPECT_EQ(symbols.data(binary, "", at.at("kept")).value().name, "kept.b (static in get())");
    EXPECT_EQ(symbols.data_in_type(binary, "", "pool", 8 + 40 + 8), "shard[0].items[1]");
    EXPECT_EQ(symbols.data_in_type(binary, "", "pair", 4), "b");
  }
}

}  // namespace
}  // namespace ravel::test

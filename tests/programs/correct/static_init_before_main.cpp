// Constructors of globals run before main starts a thread.
// EXPECT: none
#include <thread>
#include <vector>

struct Table {
  std::vector<int> entries;
  Table() { entries.assign(10, 1); }
};

Table table;

int main() {
  std::thread first([] { table.entries[0] = 2; });
  std::thread second([] { table.entries[1] = 3; });
  first.join();
  second.join();
  return table.entries[0] + table.entries[1] != 5;
}

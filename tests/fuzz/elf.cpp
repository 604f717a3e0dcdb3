// Any bytes as an executable: whatever its tables and debug information say, names are found or not.
#include "symbol/module_symbols.h"
#include "text_file.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace ravel;
  auto module = ModuleSymbols::open(test::fuzz_file("module", data, size), "");
  if (!module) return 0;
  // The seeds are linked at 0x400000 or at 0 and smaller than this.
  for (const std::uint64_t base : {0x400000, 0}) {
    for (std::uint64_t address = base; address < base + 0x5000; address += 13) {
      for (const SourceFrame& frame : (*module)->frames(address)) CHECK(frame.function.size() < 1'000'000);
      (*module)->data(address);
    }
  }
  for (const char* type : {"Cache", "Limit", "ns::Node"}) {
    if (const ClassLayout* const layout = (*module)->layout(type)) CHECK(layout->fields.size() <= size);
    for (std::uint64_t offset = 0; offset < 128; ++offset) (*module)->data_in_type(type, offset);
  }
  return 0;
}

// Any text is either an error or a list of findings that prints and parses to itself, and that the text
// printer and the store can take.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "report/printer.h"
#include "report/store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto findings = ravel::parse_findings({reinterpret_cast<const char*>(data), size}, "input");
  if (!findings) return 0;
  const auto again = ravel::parse_findings(ravel::print_json(*findings), "printed");
  if (!again || *again != *findings) std::abort();

  ravel::ReportContext context;
  context.show_all = true;
  context.source_directory =
      "/nonexistent";  // relative places name no file: a run does not depend on where it is
  if (ravel::print_text(*findings, context).find('\x1b') != std::string::npos) std::abort();

  ravel::FindingStore store;
  for (const ravel::Finding& finding : *findings) store.add(finding);
  if (store.size() > findings->size()) std::abort();
  return 0;
}

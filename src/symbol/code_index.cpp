#include "symbol/code_index.h"

#include <algorithm>

#include "symbol/demangle.h"
#include "symbol/dwarf.h"

namespace ravel {
namespace {

/// Ranges of one entry that are looked at.
constexpr int kMaxRanges = 100'000;
/// Lines that are looked back over for one that has a number.
constexpr std::size_t kMaxUnnumbered = 64;
/// Entries that one function is described by: its copy, its origin, its declaration.
constexpr int kMaxOrigins = 4;
/// Entries looked at within one function.
constexpr std::uint64_t kMaxFunctionEntries = 4'000'000;

std::uint64_t address_of(Dwarf_Lines* lines, std::size_t index) {
  Dwarf_Addr address = 0;
  Dwarf_Line* line = dwarf_onesrcline(lines, index);
  return line != nullptr && dwarf_lineaddr(line, &address) == 0 ? address : 0;
}

/// Calls within calls at `pc`, outermost first: the inlined subroutines among the entries below `die`.
void collect_inlined(Dwarf_Die die, std::uint64_t pc, std::vector<Dwarf_Die>& chain, std::uint64_t& budget) {
  if (chain.size() > dwarf::kMaxDepth) return;
  bool descend = true;
  for (int depth = 0; descend && depth < dwarf::kMaxDepth; ++depth) {
    descend = false;
    dwarf::for_each_child(die, [&](Dwarf_Die& child) {
      if (budget-- == 0) return false;
      const int tag = dwarf::tag(child);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) return true;
      if (dwarf_haspc(&child, pc) != 1) return true;
      if (tag == DW_TAG_inlined_subroutine) chain.push_back(child);
      die = child;
      descend = true;
      return false;
    });
  }
}

}  // namespace

CodeIndex::CodeIndex(Dwarf* dwarf, std::uint64_t entry_limit) : entry_limit_(entry_limit) {
  Dwarf_CU* cu = nullptr;
  Dwarf_Die head, skeleton_of;
  std::uint8_t kind = 0;
  for (Dwarf_CU* next = nullptr; dwarf_get_units(dwarf, cu, &next, nullptr, &kind, &head, &skeleton_of) == 0;
       cu = next) {
    if (kind != DW_UT_compile && kind != DW_UT_skeleton) continue;
    const bool split = kind == DW_UT_skeleton && skeleton_of.addr != nullptr;
    add_ranges(head, units_.size(), ranges_);
    units_.push_back({.head = head, .body = split ? skeleton_of : head, .ranges = {}, .functions = {}});
  }
  std::ranges::sort(ranges_, {}, &Range::begin);
}

bool CodeIndex::add_ranges(Dwarf_Die die, std::size_t index, std::vector<Range>& ranges) {
  const std::size_t before = ranges.size();
  Dwarf_Addr base = 0, begin = 0, end = 0;
  std::ptrdiff_t offset = 0;
  for (int i = 0; i < kMaxRanges; ++i) {
    offset = dwarf_ranges(&die, offset, &base, &begin, &end);
    if (offset <= 0) break;
    // What the linker dropped begins at 0.
    if (begin != 0 && begin < end) ranges.push_back({.begin = begin, .end = end, .index = index});
  }
  return ranges.size() > before;
}

const CodeIndex::Range* CodeIndex::find(const std::vector<Range>& ranges, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  if (after == ranges.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

void CodeIndex::index_functions(Unit& unit) const {
  unit.indexed = true;
  std::uint64_t budget = entry_limit_;
  collect(unit.body, unit, "", budget, 0);
  std::ranges::sort(unit.ranges, {}, &Range::begin);
}

// Also looks into functions: lambdas and methods of local classes are entries below them.
void CodeIndex::collect(Dwarf_Die die, Unit& unit, const std::string& scope, std::uint64_t& budget,
                        int depth) {
  if (depth > dwarf::kMaxDepth) return;
  dwarf::for_each_child(die, [&](Dwarf_Die& child) {
    if (budget == 0) return false;
    --budget;
    const int tag = dwarf::tag(child);
    if (tag == DW_TAG_subprogram) {
      if (!scope.empty() && dwarf::linkage_name(child).empty()) unit.scopes.emplace(child.addr, scope);
      if (add_ranges(child, unit.functions.size(), unit.ranges)) unit.functions.push_back(child);
    }
    if (dwarf_haschildren(&child) != 1) return true;
    switch (tag) {
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
      case DW_TAG_union_type:
      case DW_TAG_subprogram:
        // A class without a name that has functions is a lambda's.
        collect(child, unit,
                tag != DW_TAG_namespace && tag != DW_TAG_subprogram && dwarf::name(child).empty()
                    ? scope + "(lambda)::"
                    : dwarf::scope_within(scope, child),
                budget, depth + 1);
        return true;
      case DW_TAG_enumeration_type:
      case DW_TAG_inlined_subroutine:
        return true;
      default:
        collect(child, unit, scope, budget, depth + 1);
        return true;
    }
  });
}

void CodeIndex::describe_function(const Unit& unit, Dwarf_Die die, SourceFrame& frame) {
  frame.function_line = dwarf::small_number(die, DW_AT_decl_line);
  frame.linkage_name = without_clone_suffix(dwarf::linkage_name(die));
  if (!frame.linkage_name.empty()) {
    frame.function = demangle(frame.linkage_name);
    return;
  }
  frame.function = dwarf::name(die);
  // What is around the function is around the entry that first declares it.
  for (int i = 0; i < kMaxOrigins; ++i) {
    const auto scope = unit.scopes.find(die.addr);
    if (scope != unit.scopes.end()) {
      frame.function = scope->second + frame.function;
      break;
    }
    auto origin = dwarf::own_reference(die, DW_AT_abstract_origin);
    if (!origin) origin = dwarf::own_reference(die, DW_AT_specification);
    if (!origin) break;
    die = *origin;
  }
  // (At -g1 clang does not say which functions are external, nor where any is declared.)
  if (frame.function_line != 0 && !dwarf::attribute(die, DW_AT_external)) frame.linkage_name = frame.function;
}

CodeIndex::Location CodeIndex::line_of(Unit& unit, std::uint64_t address, std::uint64_t function_begin) {
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(&unit.head, &lines, &count) != 0 || count == 0) return {};
  std::size_t low = 0, high = count;  // lines before `low` begin at or before the address
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (address_of(lines, middle) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  // Code the compiler made up has line 0: the last real line before it is the one to show.
  for (std::size_t back = 0; back < kMaxUnnumbered && back < low; ++back) {
    Dwarf_Line* line = dwarf_onesrcline(lines, low - 1 - back);
    bool end = false;
    if (line == nullptr || dwarf_lineendsequence(line, &end) != 0 || end) return {};
    if (back > 0 && address_of(lines, low - 1 - back) < function_begin) return {};
    int number = 0, column = 0;
    if (dwarf_lineno(line, &number) != 0 || number <= 0) continue;
    dwarf_linecol(line, &column);
    return {.file = dwarf::file_path(dwarf_linesrc(line, nullptr, nullptr)),
            .line = static_cast<std::uint32_t>(number),
            .column = static_cast<std::uint32_t>(std::max(column, 0))};
  }
  return {};
}

std::vector<SourceFrame> CodeIndex::frames(std::uint64_t address) {
  const Range* const in_unit = find(ranges_, address);
  if (in_unit == nullptr) return {};
  Unit& unit = units_[in_unit->index];
  if (!unit.indexed) index_functions(unit);

  std::vector<Dwarf_Die> chain;  // the function, then what is inlined at the address, outermost first
  std::uint64_t begin = 0;
  if (const Range* const in_function = find(unit.ranges, address)) {
    begin = in_function->begin;
    chain.push_back(unit.functions[in_function->index]);
    std::uint64_t budget = kMaxFunctionEntries;
    collect_inlined(Dwarf_Die(chain.back()), address, chain, budget);
  }
  Location location = line_of(unit, address, begin);
  if (chain.empty()) {
    if (location.file.empty()) return {};
    SourceFrame frame;
    frame.file = location.file;
    frame.line = location.line;
    frame.column = location.column;
    return {frame};
  }

  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  if (dwarf_getsrcfiles(&unit.body, &files, &file_count) != 0) file_count = 0;
  std::vector<SourceFrame> frames;
  for (std::size_t i = chain.size(); i-- > 0;) {
    SourceFrame& frame = frames.emplace_back();
    describe_function(unit, chain[i], frame);
    frame.file = std::move(location.file);
    frame.line = location.line;
    frame.column = location.column;
    const std::uint64_t file = dwarf::number(chain[i], DW_AT_call_file).value_or(0);
    location = {
        .file = file < file_count ? dwarf::file_path(dwarf_filesrc(files, file, nullptr, nullptr)) : "",
        .line = dwarf::small_number(chain[i], DW_AT_call_line),
        .column = dwarf::small_number(chain[i], DW_AT_call_column)};
  }
  if (Dwarf_Addr entry = begin; frames.back().function_line == 0) {
    dwarf_entrypc(&chain.front(), &entry);  // the address may be in a cold part elsewhere
    frames.back().function_line = line_of(unit, entry, entry).line;
  }
  return frames;
}

}  // namespace ravel

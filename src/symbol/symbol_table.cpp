#include "symbol/symbol_table.h"

#include <algorithm>
#include <tuple>

namespace ravel {
namespace {

struct Candidate {
  SymbolTable::Symbol symbol;
  bool local = false;

  /// Of the names of one address, the one for people: global, not reserved, the first constructor of many.
  auto key() const {
    return std::tuple(symbol.begin, local, !symbol.name.starts_with("_Z"), symbol.name.starts_with("_"),
                      symbol.name);
  }
};

std::vector<SymbolTable::Symbol> best(std::vector<Candidate> candidates) {
  std::ranges::sort(candidates, {}, &Candidate::key);
  std::vector<SymbolTable::Symbol> symbols;
  for (const Candidate& candidate : candidates) {
    if (symbols.empty() || symbols.back().begin != candidate.symbol.begin)
      symbols.push_back(candidate.symbol);
    else
      symbols.back().end = std::max(symbols.back().end, candidate.symbol.end);
  }
  // A symbol without a size reaches to the next one.
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (symbols[i].end <= symbols[i].begin)
      symbols[i].end = i + 1 < symbols.size() ? symbols[i + 1].begin : symbols[i].begin + 1;
  return symbols;
}

}  // namespace

SymbolTable::SymbolTable(const ElfFile& file) {
  std::vector<Candidate> functions, data;
  const int count = dwfl_module_getsymtab(file.module());
  for (int i = 1; i < count; ++i) {
    GElf_Sym raw;
    GElf_Addr address = 0;
    const char* name = dwfl_module_getsym_info(file.module(), i, &raw, &address, nullptr, nullptr, nullptr);
    if (name == nullptr || *name == '\0' || raw.st_shndx == SHN_UNDEF) continue;
    const Candidate candidate{.symbol = {.begin = address, .end = address + raw.st_size, .name = name},
                              .local = GELF_ST_BIND(raw.st_info) == STB_LOCAL};
    switch (GELF_ST_TYPE(raw.st_info)) {
      case STT_FUNC:
      case STT_GNU_IFUNC:
        functions.push_back(candidate);
        break;
      case STT_OBJECT:
        data.push_back(candidate);
        break;
      default:  // files, sections, labels; thread-local variables have no address of their own
        break;
    }
  }
  functions_ = best(std::move(functions));
  data_ = best(std::move(data));
}

const SymbolTable::Symbol* SymbolTable::find(const std::vector<Symbol>& symbols, std::uint64_t address) {
  auto after = std::ranges::upper_bound(symbols, address, {}, &Symbol::begin);
  // Symbols may lie within others: look past a few that end too early.
  for (int i = 0; i < 8 && after != symbols.begin(); ++i) {
    --after;
    if (address < after->end) return &*after;
  }
  return nullptr;
}

}  // namespace ravel

#include "symbol/module_symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "symbol/code_index.h"
#include "symbol/demangle.h"
#include "symbol/dwarf.h"
#include "symbol/elf_file.h"
#include "symbol/scope_index.h"
#include "symbol/symbol_table.h"
#include "symbol/types.h"

namespace ravel {

struct ModuleSymbols::State {
  explicit State(ElfFile opened) : file(std::move(opened)), build_id(file.build_id()) {}

  ElfFile file;
  std::string build_id;

  // Filled when first asked for.
  bool dwarf_tried = false;
  Dwarf* debug = nullptr;
  std::uint64_t bias = 0;
  std::optional<SymbolTable> symbol_table;
  std::optional<CodeIndex> code_index;
  std::optional<ScopeIndex> scope_index;
  std::unordered_map<std::uint64_t, std::vector<SourceFrame>> known_frames;  // values stay where they are
  std::unordered_map<std::string, std::optional<ClassLayout>> known_layouts;

  Dwarf* dwarf() {
    if (!std::exchange(dwarf_tried, true)) debug = file.dwarf(bias);
    return debug;
  }
  const SymbolTable& symbols() {
    if (!symbol_table) symbol_table.emplace(file);
    return *symbol_table;
  }
  CodeIndex& code() {
    if (!code_index) code_index.emplace(dwarf(), file.entry_limit());
    return *code_index;
  }
  const ScopeIndex& scopes() {
    if (!scope_index) scope_index.emplace(dwarf(), file.entry_limit());
    return *scope_index;
  }

  std::vector<SourceFrame> find_frames(std::uint64_t address);
  DataObject describe(const ScopeIndex::Variable& variable, std::uint64_t address);
  std::optional<DataObject> symbol_data(std::uint64_t address);
};

std::vector<SourceFrame> ModuleSymbols::State::find_frames(std::uint64_t address) {
  std::vector<SourceFrame> frames;
  if (dwarf() != nullptr) frames = code().frames(address - bias);
  // The symbol's name says more than DWARF's where that has no linkage name. At -g1 compilers leave out all
  // of them, and whole functions that have nothing inlined.
  const SymbolTable::Symbol* symbol = nullptr;
  if (frames.empty() || frames.back().linkage_name.empty() ||
      frames.back().linkage_name == frames.back().function)
    symbol = symbols().function(address);
  if (symbol != nullptr) {
    if (frames.empty()) frames.emplace_back();
    SourceFrame& frame = frames.back();
    const std::string_view name = without_clone_suffix(symbol->name);
    frame.function = demangle(name);
    if (frame.linkage_name.empty()) frame.linkage_name = name;
    if (frame.function_line == 0 && frame.line != 0) {
      const std::vector<SourceFrame> first = code().frames(symbol->begin - bias);
      if (!first.empty()) frame.function_line = first.back().line;
    }
  }
  for (SourceFrame& frame : frames)
    if (frame.linkage_name.empty()) frame.linkage_name = frame.function;
  return frames;
}

DataObject ModuleSymbols::State::describe(const ScopeIndex::Variable& variable, std::uint64_t address) {
  const Types types(scopes());
  DataObject data;
  data.address = variable.begin + bias;
  data.linkage_name = dwarf::linkage_name(variable.die);
  const SymbolTable::Symbol* const symbol = symbols().data(data.address);
  const bool own_symbol = symbol != nullptr && symbol->begin == data.address;
  // The same memory may have other names too (aliases): only a mangled one says more than DWARF.
  if (data.linkage_name.empty() && own_symbol && symbol->name.starts_with("_Z"))
    data.linkage_name = without_clone_suffix(symbol->name);
  const std::string_view name = dwarf::name(variable.die);
  if (const auto type = dwarf::type(variable.die)) {
    data.type = types.name(*type);
    data.size = types.size(*type);
    data.path = types.path(*type, address - data.address);
  }
  if (data.size == 0 && own_symbol) data.size = symbol->end - symbol->begin;
  data.file = dwarf::declared_in(variable.die);
  data.line = dwarf::small_number(variable.die, DW_AT_decl_line);

  if (variable.local_to) {
    const Dwarf_Die function = scopes().function(*variable.local_to);
    const std::string_view linkage = dwarf::linkage_name(function);
    std::string in = linkage.empty() ? fmt::format("{}()", dwarf::name(function)) : demangle(linkage);
    // A function that was inlined everywhere may have lost its name; the variable's own mangled one has it.
    if (const std::string whole = demangle(data.linkage_name);
        in == "()" && whole.ends_with(fmt::format("::{}", name)))
      in = whole.substr(0, whole.size() - name.size() - 2);
    data.object = fmt::format("{}::{}", in, name);
    data.name = fmt::format("{}{} (static in {})", name, data.path, in);
  } else {
    data.object = data.linkage_name.empty() ? scopes().scope(variable.scope) + std::string(name)
                                            : demangle(data.linkage_name);
    data.name = data.object + data.path;
  }
  if (data.linkage_name.empty()) data.linkage_name = data.object;
  return data;
}

std::optional<DataObject> ModuleSymbols::State::symbol_data(std::uint64_t address) {
  const SymbolTable::Symbol* const symbol = symbols().data(address);
  if (symbol == nullptr) return std::nullopt;
  DataObject data;
  data.address = symbol->begin;
  data.size = symbol->end - symbol->begin;
  data.linkage_name = without_clone_suffix(symbol->name);
  data.object = demangle(data.linkage_name);
  data.name = data.object;
  if (address != symbol->begin) data.name += fmt::format("+{}", address - symbol->begin);
  return data;
}

ModuleSymbols::ModuleSymbols(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModuleSymbols::~ModuleSymbols() = default;

Result<std::shared_ptr<ModuleSymbols>> ModuleSymbols::open(const std::string& path,
                                                           const std::string& expected_build_id) {
  auto file = ElfFile::open(path);
  if (!file) return std::unexpected(file.error());
  auto state = std::make_unique<State>(std::move(*file));
  if (!expected_build_id.empty() && state->build_id != expected_build_id)
    return fail("was rebuilt since the program ran (its build id differs): no names from it", path);
  return std::shared_ptr<ModuleSymbols>(new ModuleSymbols(std::move(state)));
}

const std::string& ModuleSymbols::build_id() const { return state_->build_id; }

bool ModuleSymbols::contains(std::uint64_t address) const {
  Dwarf_Addr begin = 0, end = 0;
  dwfl_module_info(state_->file.module(), nullptr, &begin, &end, nullptr, nullptr, nullptr, nullptr);
  return begin <= address && address < end;
}

const std::vector<SourceFrame>& ModuleSymbols::frames(std::uint64_t address) {
  const auto [entry, fresh] = state_->known_frames.try_emplace(address);
  if (fresh) entry->second = state_->find_frames(address);
  return entry->second;
}

std::optional<DataObject> ModuleSymbols::data(std::uint64_t address) {
  if (state_->dwarf() != nullptr) {
    if (const auto* variable = state_->scopes().variable(address - state_->bias))
      return state_->describe(*variable, address);
  }
  std::optional<DataObject> data = state_->symbol_data(address);
  // A variable whose type is declared here and defined elsewhere: DWARF knows where it begins, only the
  // symbol how long it is.
  if (data && state_->dwarf() != nullptr) {
    if (const auto* variable = state_->scopes().variable(data->address - state_->bias))
      return state_->describe(*variable, address);
  }
  return data;
}

const ClassLayout* ModuleSymbols::layout(const std::string& type) {
  if (state_->dwarf() == nullptr) return nullptr;
  const auto [entry, fresh] = state_->known_layouts.try_emplace(type);
  if (fresh) entry->second = Types(state_->scopes()).layout(type);
  return entry->second ? &*entry->second : nullptr;
}

std::optional<std::string> ModuleSymbols::data_in_type(const std::string& type, std::uint64_t offset) {
  if (state_->dwarf() == nullptr) return std::nullopt;
  const Types types(state_->scopes());
  const auto die = types.find(type);
  const std::uint64_t size = die ? types.size(*die) : 0;
  if (size == 0) return std::nullopt;
  const std::string index = offset < size ? "" : fmt::format("[{}]", offset / size);
  const std::string path = index + types.path(*die, offset % size);
  return path.starts_with('.') ? path.substr(1) : path;
}

}  // namespace ravel

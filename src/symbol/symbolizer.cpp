#include "symbol/symbolizer.h"

namespace ravel {

ModuleSymbols* Symbolizer::module(const std::string& path, const std::string& build_id) {
  const auto [entry, fresh] = modules_.try_emplace(path + '\n' + build_id);
  if (fresh) {
    if (auto opened = ModuleSymbols::open(path, build_id))
      entry->second = std::move(*opened);
    else if (!path.starts_with('['))  // "[vdso]" is no file
      notes_.push_back(opened.error().text());
  }
  return entry->second.get();
}

const std::vector<SourceFrame>& Symbolizer::frames(const std::string& path, const std::string& build_id,
                                                   std::uint64_t address) {
  static const std::vector<SourceFrame> none;
  ModuleSymbols* const found = module(path, build_id);
  return found != nullptr ? found->frames(address) : none;
}

std::optional<DataObject> Symbolizer::data(const std::string& path, const std::string& build_id,
                                           std::uint64_t address) {
  ModuleSymbols* const found = module(path, build_id);
  return found != nullptr ? found->data(address) : std::nullopt;
}

const ClassLayout* Symbolizer::layout(const std::string& path, const std::string& build_id,
                                      const std::string& type) {
  ModuleSymbols* const found = module(path, build_id);
  return found != nullptr ? found->layout(type) : nullptr;
}

std::optional<std::string> Symbolizer::data_in_type(const std::string& path, const std::string& build_id,
                                                    const std::string& type, std::uint64_t offset) {
  ModuleSymbols* const found = module(path, build_id);
  return found != nullptr ? found->data_in_type(type, offset) : std::nullopt;
}

}  // namespace ravel

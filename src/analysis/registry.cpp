#include <algorithm>
#include <vector>

#include "analysis/analysis.h"

namespace ravel {
namespace {

std::vector<AnalysisInfo>& registry() {
  static std::vector<AnalysisInfo> all;
  return all;
}

const AnalysisInfo* find(std::string_view name) {
  const auto all = analyses();
  const auto it = std::ranges::find(all, name, &AnalysisInfo::name);
  return it == all.end() ? nullptr : &*it;
}

}  // namespace

RegisterAnalysis::RegisterAnalysis(const AnalysisInfo& info) {
  auto& all = registry();
  const auto at = std::ranges::upper_bound(all, info.name, {}, &AnalysisInfo::name);
  CHECK(at == all.begin() || std::prev(at)->name != info.name, "two analyses of one name");
  all.insert(at, info);
}

std::span<const AnalysisInfo> analyses() { return registry(); }

Result<std::vector<const AnalysisInfo*>> find_analyses(std::string_view list) {
  std::vector<const AnalysisInfo*> found;
  const auto add = [&found](const AnalysisInfo& info) {
    if (std::ranges::find(found, &info) == found.end()) found.push_back(&info);
  };
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (name == "all" || name == "default") {
      for (const AnalysisInfo& info : analyses())
        if (name == "all" || info.by_default) add(info);
    } else if (const AnalysisInfo* info = find(name)) {
      add(*info);
    } else {
      std::string known;
      for (const AnalysisInfo& each : analyses()) known.append(known.empty() ? "" : ", ").append(each.name);
      return fail("unknown analysis '" + std::string(name) + "'; known are " + known + ", and all, default");
    }
  }
  if (found.empty()) return fail("no analysis named");
  return found;
}

}  // namespace ravel

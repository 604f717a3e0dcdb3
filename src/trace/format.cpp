#include "trace/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "event/check.h"

namespace ravel {
namespace {

struct Registry {
  std::deque<TraceFormat> formats;  // a deque: pointers to its elements stay good
  std::vector<const TraceFormat*> by_name;
};

// A function's static: it exists before the first static RegisterFormat needs it.
Registry& registry() {
  static Registry registry;
  return registry;
}

std::string list_formats() {
  std::string list;
  for (const TraceFormat* format : trace_formats()) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", format->name, format->extension);
  }
  return list;
}

}  // namespace

RegisterFormat::RegisterFormat(const TraceFormat& format) {
  Registry& all = registry();
  const auto at = std::ranges::lower_bound(all.by_name, format.name, {}, &TraceFormat::name);
  CHECK(at == all.by_name.end() || (*at)->name != format.name, format.name);
  all.by_name.insert(at, &all.formats.emplace_back(format));
}

std::span<const TraceFormat* const> trace_formats() { return registry().by_name; }

Result<const TraceFormat*> find_format(std::string_view name, const std::string& path) {
  for (const TraceFormat* format : trace_formats()) {
    const bool fits =
        name.empty() ? std::string_view(path).ends_with(format->extension) : name == format->name;
    if (fits) return format;
  }
  if (!name.empty())
    return fail(fmt::format("there is no trace format '{}'; known are {}", name, list_formats()));
  return fail(fmt::format("its name does not tell the trace format; known are {}", list_formats()), path);
}

}  // namespace ravel

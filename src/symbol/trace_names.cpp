#include "symbol/trace_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ravel {
namespace {

/// Calls of a stack that are shown; a recursion gone wild has no end.
constexpr std::size_t kMaxCalls = 256;

}  // namespace

const std::vector<SourceFrame>& TraceNames::code(PlaceId id) {
  const auto [entry, fresh] = code_.try_emplace(id.value);
  std::vector<SourceFrame>& frames = entry->second;
  if (!fresh || id.index() >= tables_.places.size()) return frames;
  const Place& place = tables_.places[id.index()];
  if (place.module.valid() && place.module.index() < tables_.modules.size()) {
    const Module& module = tables_.modules[place.module.index()];
    frames = symbols_.frames(module.path, module.build_id, place.offset);
  }
  if (frames.empty()) {
    SourceFrame& frame = frames.emplace_back();
    frame.function = place.function;
    frame.linkage_name = place.function;
    if (place.module.valid()) {
      frame.file = place.text();
    } else {
      frame.file = place.file;
      frame.line = static_cast<std::uint32_t>(place.line);
    }
  }
  return frames;
}

std::vector<SourceFrame> TraceNames::frames(PlaceId place, StackId stack) {
  std::vector<SourceFrame> frames = code(place);
  for (std::size_t i = 0; i < kMaxCalls && stack.valid() && stack.index() < tables_.stacks.size(); ++i) {
    const StackFrame& call = tables_.stacks[stack.index()];
    const std::vector<SourceFrame>& more = code(call.call);
    frames.insert(frames.end(), more.begin(), more.end());
    stack = call.parent;
  }
  return frames;
}

bool TraceNames::user_frame(PlaceId place, Shown& shown) {
  const std::vector<SourceFrame>& frames = code(place);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // A frame without a line is of a library without debug information.
    if (frames[i].line == 0 || is_system_file(frames[i].file)) continue;
    shown = {.place = place, .frame = i};
    return true;
  }
  return false;
}

const TraceNames::Shown& TraceNames::find_shown(PlaceId place, StackId stack) {
  const auto [entry, fresh] = shown_.try_emplace(std::uint64_t{place.value} << 32 | stack.value);
  if (!fresh) return entry->second;
  entry->second.place = place;
  if (user_frame(place, entry->second)) return entry->second;
  for (std::size_t i = 0; i < kMaxCalls && stack.valid() && stack.index() < tables_.stacks.size(); ++i) {
    const StackFrame& call = tables_.stacks[stack.index()];
    if (user_frame(call.call, entry->second)) break;
    stack = call.parent;
  }
  return entry->second;
}

const SourceFrame* TraceNames::shown(PlaceId place, StackId stack) {
  const Shown& shown = find_shown(place, stack);
  const std::vector<SourceFrame>& frames = code(shown.place);
  return shown.frame < frames.size() ? &frames[shown.frame] : nullptr;
}

std::optional<DataObject> TraceNames::data(std::uint64_t address) {
  // The map of a trace may cover the code of a module only; the file knows where its data is. The nearest one
  // below the address is asked first, and of two that were loaded at one place, the later.
  std::vector<const Module*> below;
  for (const Module& module : tables_.modules)
    if (module.bias <= address) below.push_back(&module);
  std::ranges::sort(below, std::ranges::greater(),
                    [](const Module* module) { return std::pair(module->bias, module); });
  for (const Module* const module : below) {
    ModuleSymbols* const symbols = symbols_.module(module->path, module->build_id);
    if (symbols != nullptr && symbols->contains(address - module->bias))
      return symbols->data(address - module->bias);
  }
  return std::nullopt;
}

std::string canonical_object(const DataObject& data) {
  std::string text = data.object;
  bool in_index = false;
  for (const char c : data.path) {
    if (c == ']') in_index = false;
    if (!in_index) text += c;
    if (c == '[') in_index = true;
  }
  return text;
}

std::string place_text(const SourceFrame& frame) {
  if (frame.line == 0 && !frame.file.empty()) return frame.file;
  return frame.file.empty() ? fmt::format("{}", frame.line) : fmt::format("{}:{}", frame.file, frame.line);
}

}  // namespace ravel

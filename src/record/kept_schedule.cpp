#include "record/kept_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "event/check.h"
#include "trace/input_file.h"
#include "trace/output_file.h"

namespace ravel {

struct KeptSchedule::Memory {
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  Arena arena{more, this};

  static std::span<std::byte> more(void* context, std::size_t size) {
    constexpr std::size_t kBlock = 4096;
    const std::size_t bytes = std::max(size, kBlock);
    auto& blocks = static_cast<Memory*>(context)->blocks;
    blocks.push_back(std::make_unique<std::byte[]>(bytes));
    return {blocks.back().get(), bytes};
  }
};

KeptSchedule::KeptSchedule() : memory_(std::make_unique<Memory>()) {}
KeptSchedule::~KeptSchedule() = default;
KeptSchedule::KeptSchedule(KeptSchedule&&) noexcept = default;
KeptSchedule& KeptSchedule::operator=(KeptSchedule&&) noexcept = default;

Result<KeptSchedule> KeptSchedule::read(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return std::unexpected(file.error());
  std::string text;
  std::vector<char> buffer(kReadBytes);
  while (true) {
    const auto size = file->read(std::span<char>(buffer));
    if (!size) return std::unexpected(size.error());
    text.append(buffer.data(), *size);
    if (*size < buffer.size()) break;
  }
  KeptSchedule schedule;
  const ScheduleError error = parse_schedule(text, schedule.memory_->arena, schedule.value);
  if (error.ok()) return schedule;
  const std::string_view key = error.key;
  return fail(key.empty() ? error.message : fmt::format("{}: {}", key, error.message), path, error.line);
}

Result<void> KeptSchedule::write(const std::string& path) const {
  auto file = OutputFile::create(path);
  if (!file) return std::unexpected(file.error());
  struct Context {
    OutputFile& file;
    Result<void> written;
  } context{*file, {}};
  const auto write = [](void* to, std::string_view piece) {
    auto& [output, written] = *static_cast<Context*>(to);
    written = output.write(piece);
    return written.has_value();
  };
  if (!print_schedule(value, write, &context)) return context.written;
  return file->commit();
}

std::string_view KeptSchedule::keep(std::string_view text) { return memory_->arena.copy(text); }

std::span<const std::string_view> KeptSchedule::keep(std::span<const std::string> texts) {
  auto* const all = memory_->arena.allocate_array<std::string_view>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) all[i] = keep(texts[i]);
  return {all, texts.size()};
}

void KeptSchedule::set_decisions(const StepLog& log) {
  const std::span<const std::string_view> paths = keep(log.threads);
  auto* const decisions = memory_->arena.allocate_array<Decision>(log.taken.size());
  for (std::size_t i = 0; i < log.taken.size(); ++i) {
    const StepLog::Taken& taken = log.taken[i];
    decisions[i] = {
        .thread = {paths[taken.thread]}, .steps = taken.steps, .kind = taken.kind, .has_kind = true};
  }
  value.form = ScheduleForm::Decisions;
  value.decisions = {decisions, log.taken.size()};
  value.constraints = {};
}

void KeptSchedule::replace_places(const std::function<std::string_view(std::string_view)>& by) {
  const std::size_t count = value.constraints.size();
  auto* const constraints = memory_->arena.allocate_array<Constraint>(count);
  for (std::size_t i = 0; i < count; ++i) {
    constraints[i] = value.constraints[i];
    for (Step* const step : {&constraints[i].before, &constraints[i].after})
      if (!step->counted() && !step->place.empty()) step->place = keep(by(step->place));
  }
  value.constraints = {constraints, count};
}

}  // namespace ravel

#include "record/step_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "event/step_log.h"
#include "trace/stream_file.h"

namespace ravel {
namespace {

/// Nobody has started it; the runtime names it so, too (token.cpp).
std::string orphan_path(std::uint32_t index) { return fmt::format("0.{}", 1'000'000 + index); }

Result<std::vector<std::string>> fork_paths(const std::string& stream_path) {
  auto file = stream::StreamFile::open(stream_path, stream::StreamFile::Access::Read);
  if (!file) return std::unexpected(file.error());
  const std::uint32_t count = std::min(file->head().thread_count.load(), stream::kMaxThreads);
  std::vector<std::string> paths;
  for (std::uint32_t index = 0; index < count; ++index) {
    const stream::ThreadSlot* const slot = file->slot(index);
    if (slot == nullptr) break;
    if (index == 0)
      paths.emplace_back("0");
    else if (slot->parent < index)
      paths.push_back(fmt::format("{}.{}", paths[slot->parent], slot->index));
    else
      paths.push_back(orphan_path(index));
  }
  return paths;
}

}  // namespace

std::uint64_t StepLog::steps() const {
  std::uint64_t all = 0;
  for (const Taken& one : taken) all += one.steps;
  return all;
}

Result<StepLog> read_step_log(const std::string& stream_path) {
  const std::string path = std::filesystem::path(stream_path).replace_extension(".steps").string();
  auto paths = fork_paths(stream_path);
  if (!paths) return std::unexpected(paths.error());
  StepLog log{.threads = std::move(*paths), .taken = {}};
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("the steps of the run were not recorded", path);

  struct {
    std::uint64_t magic = 0;
    std::uint64_t count = 0;
  } head;
  static_assert(sizeof head == sizeof(step_log::Head));
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != step_log::kMagic)
    return fail("not a record of a run's steps", path);
  file.seekg(step_log::kHeadBytes);
  for (std::uint64_t i = 0; i < head.count; ++i) {
    struct {
      std::uint32_t thread_and_kind = 0;
      std::uint32_t times = 0;
    } entry;
    static_assert(sizeof entry == sizeof(step_log::Entry));
    if (!file.read(reinterpret_cast<char*>(&entry), sizeof entry)) break;
    const std::uint32_t thread = entry.thread_and_kind >> 8;
    const std::uint32_t kind = entry.thread_and_kind & 0xff;
    if (thread >= log.threads.size() || kind >= kOperationKinds)
      return fail(fmt::format("entry {} is damaged", i), path);
    if (entry.times > 0) log.taken.push_back({thread, static_cast<OperationKind>(kind), entry.times});
  }
  return log;
}

}  // namespace ravel

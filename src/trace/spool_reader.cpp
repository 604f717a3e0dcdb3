#include "trace/spool_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "trace/rvl.h"

namespace ravel {

SpoolReader::SpoolReader(std::unique_ptr<TraceReader> source, std::string folder)
    : TraceReader(source->path()), source_(std::move(source)), folder_(std::move(folder)) {}

Result<std::unique_ptr<SpoolReader>> SpoolReader::open(std::unique_ptr<TraceReader> source,
                                                       const std::string& directory) {
  std::string folder = directory + "/ravel-spool-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return fail(fmt::format("cannot keep the events of the run: {}", std::strerror(errno)), directory);
  std::unique_ptr<SpoolReader> reader(new SpoolReader(std::move(source), folder));
  auto writer = rvl::create_writer(folder + "/run.rvl", reader->header());
  if (!writer) return std::unexpected(writer.error());
  reader->writer_ = std::move(*writer);
  return reader;
}

SpoolReader::~SpoolReader() {
  writer_.reset();
  again_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result<void> SpoolReader::next(std::vector<Event>& batch) {
  if (again_) return again_->next(batch);
  if (auto read = source_->next(batch); !read) return read;
  if (!writer_ || batch.empty()) return {};
  return writer_->write(batch, source_->tables());
}

Result<void> SpoolReader::rewind() {
  if (again_) return again_->rewind();
  if (auto finished = writer_->finish(source_->tables()); !finished) return finished;
  writer_.reset();
  auto reader = rvl::open_reader(folder_ + "/run.rvl");
  if (!reader) return std::unexpected(reader.error());
  again_ = std::move(*reader);
  return {};
}

}  // namespace ravel

#include "trace/rvl.h"

#include "trace/format.h"
#include "trace/stream_file.h"
#include "trace/stream_reader.h"

namespace ravel::rvl {
namespace {

const RegisterFormat kRegisterRvl({
    .name = "rvl",
    .extension = ".rvl",
    .summary = "ravel's own format: compressed, keeps everything",
    .open =
        [](const std::string& path) {
          // What a program leaves that records itself has the same extension.
          return stream::is_stream(path) ? stream::open_reader(path) : open_reader(path);
        },
    .create = [](const std::string& path, const TraceHeader& header) { return create_writer(path, header); },
});

}  // namespace
}  // namespace ravel::rvl

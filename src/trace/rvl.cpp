#include "trace/rvl.h"

#include "trace/format.h"

namespace ravel::rvl {
namespace {

const RegisterFormat kRegisterRvl({
    .name = "rvl",
    .extension = ".rvl",
    .summary = "ravel's own format: compressed, keeps everything",
    .open = open_reader,
    .create = [](const std::string& path, const TraceHeader& header) { return create_writer(path, header); },
});

}  // namespace
}  // namespace ravel::rvl

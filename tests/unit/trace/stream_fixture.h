// A stream that a test writes and reads back.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "files.h"
#include "support/stream_writer.h"
#include "trace/stream_reader.h"
#include "trace_text.h"

namespace ravel::test {

inline StreamRecord access(EventKind kind, std::uint64_t address) {
  return {.kind = kind, .body = address, .width = 4, .place = 0};
}
inline StreamRecord lock(EventKind kind, std::uint64_t address) { return {.kind = kind, .body = address}; }

class StreamTest : public testing::Test {
 protected:
  Outcome read() { return read_all(stream::open_reader(path_)); }
  Outcome read_whole() {
    writer_.stop(stream::Stop::Exit);
    return read();
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("t.rvl");
  StreamWriter writer_{path_};
};

}  // namespace ravel::test

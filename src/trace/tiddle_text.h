// TiddleText: events as Tiddle operations, for the writer, the compiler of Tiddle programs and messages.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/result.h"
#include "trace/tables.h"

namespace ravel {

/// The numbers by which Tiddle calls the threads of a trace: a thread's name if that is a number, else its
/// ThreadId, else (if another thread's name is that number) the next free one.
class ThreadNumbers {
 public:
  std::uint64_t number(ThreadId thread, const Tables& tables);

 private:
  std::vector<std::optional<std::uint64_t>> numbers_;
  boost::unordered_flat_set<std::uint64_t> taken_;
};

/// What a Tiddle line cannot say about an event.
struct TiddleLosses {
  std::uint64_t values = 0;
  std::uint64_t orders = 0;
};

/// "rd 1 x 5", without location. An error if a name is no Tiddle word or the operation not in the language.
Result<std::string> tiddle_text(const Event& event, const Tables& tables, ThreadNumbers& numbers,
                                TiddleLosses& losses);

}  // namespace ravel

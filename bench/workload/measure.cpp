#include "workload/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace ravel {

void die(const std::string& message) {
  fmt::print(stderr, "bench: {}\n", message);
  std::exit(kExitInternal);
}

Cost measure_once(const std::function<Result<void>()>& work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const Result<void> done = work();
    if (!done) fmt::print(stderr, "bench: {}\n", done.error().text());
    std::_Exit(done ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) die("a measured process failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

Cost measure(int runs, const std::function<Result<void>()>& work) {
  Cost best = measure_once(work);
  for (int i = 1; i < runs; ++i) {
    const Cost cost = measure_once(work);
    if (cost.cpu_seconds < best.cpu_seconds) best = cost;
  }
  return best;
}

}  // namespace ravel

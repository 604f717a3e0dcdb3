#include "support/detect.h"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "analysis/chain.h"
#include "analysis/resolver.h"
#include "trace/format.h"

namespace ravel {
namespace {

[[noreturn]] void die(const std::string& message) {
  std::cerr << message << '\n';
  std::abort();
}

class Collector final : public DetectionSink {
 public:
  explicit Collector(const TraceReader& trace) : trace_(trace) {}

  void begin(const Resolver& ids) override { ids_ = &ids; }
  void report(const Detection& detection) override {
    Detected& detected = all.emplace_back(Detected{detection.kind, detection.verdict, {}, {}});
    if (detection.address)
      detected.object = trace_.tables().name(TargetSpace::Variable, *detection.address);
    else if (detection.variable.valid())
      detected.object = ids_->variables().name(detection.variable, trace_.tables());
    std::set<std::string> locks;
    for (const LockId lock : detection.locks) locks.insert(ids_->lock_name(lock, trace_.tables()));
    for (const std::string& lock : locks) detected.object += (detected.object.empty() ? "" : " ") + lock;
    for (const Involved& event : detection.events) detected.events.push_back(event.position);
  }

  std::vector<Detected> all;

 private:
  const TraceReader& trace_;
  const Resolver* ids_ = nullptr;
};

}  // namespace

std::vector<Detected> detect(TraceReader& trace, std::string_view analysis) {
  const auto infos = find_analyses(analysis);
  if (!infos) die(infos.error().text());
  if (infos->size() != 1) die("one analysis at a time");
  return detect(trace, infos->front()->make());
}

std::vector<Detected> detect(TraceReader& trace, std::unique_ptr<Analysis> analysis) {
  std::vector<std::unique_ptr<Analysis>> analyses;
  analyses.push_back(std::move(analysis));
  Collector collector(trace);
  if (auto run = run_chain(trace, analyses, collector); !run) die(run.error().text());
  return std::move(collector.all);
}

std::unique_ptr<TraceReader> trace_of(std::string_view tiddle) {
  std::string path = "/tmp/trace-XXXXXX.tid";
  const int file = mkstemps(path.data(), 4);
  if (file < 0 || write(file, tiddle.data(), tiddle.size()) != static_cast<ssize_t>(tiddle.size()))
    die("cannot write " + path);
  close(file);
  auto trace = open_trace(path);
  unlink(path.c_str());
  if (!trace) die(trace.error().text());
  return std::move(*trace);
}

std::vector<Detected> detect(std::string_view tiddle, std::string_view analysis) {
  return detect(*trace_of(tiddle), analysis);
}

std::string summary(const std::vector<Detected>& detected) {
  std::map<std::string, std::set<std::string>> objects;
  for (const Detected& each : detected) objects[std::string(to_string(each.kind))].insert(each.object);
  std::string text;
  for (const auto& [kind, names] : objects) {
    text += (text.empty() ? "" : "; ") + kind;
    for (const std::string& name : names) text += " " + name;
  }
  return text.empty() ? "none" : text;
}

}  // namespace ravel

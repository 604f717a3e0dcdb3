#include "analysis/chain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/finding_builder.h"
#include "analysis/resolver.h"
#include "report/store.h"

namespace ravel {
namespace {

/// Between an analysis and the sink: no verdict above `suspected` from a trace that was filtered more than
/// the analysis can bear.
class CappedSink final : public DetectionSink {
 public:
  explicit CappedSink(DetectionSink& sink) : sink_(sink) {}

  void report(const Detection& detection) override {
    Detection capped = detection;
    capped.verdict = std::min(capped.verdict, Verdict::Suspected);
    capped.guarantee = {};
    sink_.report(capped);
  }

 private:
  DetectionSink& sink_;
};

Result<void> run_pass(TraceReader& trace, std::span<Analysis* const> analyses, Resolver& resolver,
                      DetectionSink& sink, CappedSink& capped,
                      const std::function<void(std::uint64_t)>& progress) {
  const TraceContext context{trace.header(), trace.tables(), resolver.variables(), resolver.locksets(),
                             resolver};
  for (Analysis* analysis : analyses) {
    const bool enough = trace.header().filter <= analysis->wants().filter;
    analysis->begin(context, enough ? sink : static_cast<DetectionSink&>(capped));
  }
  // A batch goes through the resolver and all analyses in pieces that stay in the first-level cache.
  constexpr std::size_t kPiece = 512;
  std::vector<Event> batch;
  while (true) {
    if (auto read = trace.next(batch); !read) return read;
    if (batch.empty()) return {};
    for (std::span<Event> left = batch; !left.empty();) {
      std::span<Event> piece = left.first(std::min(kPiece, left.size()));
      left = left.subspan(piece.size());
      while (!piece.empty()) {
        const std::span<const Event> resolved = resolver.resolve(piece);
        for (Analysis* analysis : analyses) analysis->consume(resolved);
      }
    }
    if (progress) progress(batch.back().position);
  }
}

/// Which of the analyses the recorder's filter leaves too little for.
void tell_filtered(const TraceReader& trace, std::span<const AnalysisInfo* const> infos,
                   std::span<const std::unique_ptr<Analysis>> analyses, std::vector<std::string>& notes) {
  for (const FilterLevel level : {FilterLevel::Segment, FilterLevel::None}) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < infos.size(); ++i)
      if (analyses[i]->wants().filter == level && trace.header().filter > level)
        names.push_back(infos[i]->name);
    if (!names.empty())
      notes.push_back(fmt::format("the recorder dropped accesses that {} need{}: record with --filter={}",
                                  fmt::join(names, ", "), names.size() == 1 ? "s" : "",
                                  level == FilterLevel::Segment ? "segment" : "none"));
  }
}

}  // namespace

Result<void> run_chain(TraceReader& trace, std::span<const std::unique_ptr<Analysis>> analyses,
                       DetectionSink& sink, const std::function<void(std::uint64_t)>& progress) {
  CappedSink capped(sink);
  std::vector<Analysis*> pending;
  for (const auto& analysis : analyses) pending.push_back(analysis.get());
  while (true) {
    Resolver resolver;  // a pass resolves from scratch: ids of variables are its own
    sink.begin(resolver);
    if (auto pass = run_pass(trace, pending, resolver, sink, capped, progress); !pass) return pass;
    std::erase_if(pending, [](Analysis* analysis) { return analysis->finish() == Analysis::Finish::Done; });
    if (pending.empty()) return {};
    if (auto again = trace.rewind(); !again) return again;
  }
}

Result<std::vector<Finding>> analyze(TraceReader& trace, std::span<const AnalysisInfo* const> infos,
                                     const std::function<void(std::uint64_t)>& progress,
                                     std::vector<std::string>* notes, const WitnessOptions& witnesses) {
  std::vector<std::unique_ptr<Analysis>> analyses;
  for (const AnalysisInfo* info : infos) analyses.push_back(info->make());
  SourceLines sources;
  FindingBuilder builder(trace, sources);
  if (auto run = run_chain(trace, analyses, builder, progress); !run) return std::unexpected(run.error());
  if (notes != nullptr) {
    tell_filtered(trace, infos, analyses, *notes);
    notes->insert(notes->end(), builder.notes().begin(), builder.notes().end());
  }
  FindingStore store;
  for (Finding& finding : builder.take()) store.add(std::move(finding));
  std::vector<Finding> findings = store.sorted();
  if (auto added = add_witnesses(trace, findings, witnesses); !added) return std::unexpected(added.error());
  FindingStore with_witnesses;  // verdicts may have changed
  for (Finding& finding : findings) with_witnesses.add(std::move(finding));
  return with_witnesses.sorted();
}

}  // namespace ravel

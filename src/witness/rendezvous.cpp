#include "witness/rendezvous.h"

#include <map>
#include <utility>

namespace ravel {

BarrierPhases barrier_phases(const SmallTrace& trace) {
  BarrierPhases result;
  result.phase_of.resize(trace.events.size());
  std::map<std::uint64_t, std::size_t> newest;                           // by barrier
  std::map<std::pair<ThreadId, std::uint64_t>, std::size_t> arrived_at;  // phase a thread is in
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.kind == EventKind::BarrierEnter) {
      const auto found = newest.find(event.target);
      std::optional<std::size_t> before;
      if (found != newest.end()) before = found->second;
      if (!before || !result.phases[*before].departures.empty()) {
        newest[event.target] = result.phases.size();
        result.phases.push_back({event.target, {}, {}});
        result.previous.push_back(before);
      }
      const std::size_t phase = newest[event.target];
      result.phases[phase].arrivals.push_back(i);
      result.phase_of[i] = phase;
      arrived_at[{event.thread, event.target}] = phase;
    } else if (event.kind == EventKind::BarrierExit) {
      const auto found = arrived_at.find({event.thread, event.target});
      if (found == arrived_at.end()) continue;
      result.phases[found->second].departures.push_back(i);
      result.phase_of[i] = found->second;
      arrived_at.erase(found);
    }
  }
  return result;
}

std::vector<FinishedWait> finished_waits(const SmallTrace& trace) {
  std::vector<FinishedWait> result;
  for (std::size_t end = 0; end < trace.events.size(); ++end) {
    const Event& wake = trace.events[end];
    if (wake.kind != EventKind::WaitEnd) continue;
    FinishedWait wait{end, end, {}};
    for (std::size_t i = end; i-- > 0;) {
      const Event& event = trace.events[i];
      if (event.target != wake.target) continue;
      if (event.kind == EventKind::WaitBegin && event.thread == wake.thread) {
        wait.begin = i;
        break;
      }
      if ((event.kind == EventKind::Notify || event.kind == EventKind::NotifyAll) &&
          event.thread != wake.thread)
        wait.notifies.push_back(i);
    }
    if (wait.begin != end) result.push_back(std::move(wait));
  }
  return result;
}

}  // namespace ravel

#include "analysis/open_sections.h"

#include <algorithm>

namespace ravel {

OpenSections::Open& OpenSections::acquire(const Event& event) {
  Thread& self = at(event.thread);
  if (event.lock().index() >= locks_.size()) locks_.resize(event.lock().index() + 1);
  Lock& lock = locks_[event.lock().index()];
  Open section;
  section.before = lock.exclusive;
  section.name.thread = event.thread;
  section.name.lock = event.lock();
  section.name.shared = event.kind == EventKind::AcquireShared;
  section.alone = lock.exclusive == 0 && (section.name.shared || lock.shared.empty());
  section.name.number = section.name.shared ? lock.shared[event.thread]++ : lock.exclusive++;
  if (self.past.size() == kMaxPast) forget(self);
  section.past = static_cast<std::uint32_t>(self.past.size());
  self.past.push_back({.name = section.name, .acquired = self.now + 1});
  if (!self.open.empty()) self.past.back().around = self.open.back().past;
  self.open.push_back(section);
  return self.open.back();
}

OpenSections::Open OpenSections::release(const Event& event, bool& nested) {
  Thread& self = at(event.thread);
  std::size_t i = self.open.size();
  while (i > 0 && self.open[i - 1].name.lock != event.lock()) --i;
  if (i == 0) return {};
  nested = i == self.open.size();
  const Open section = self.open[i - 1];
  self.open.erase(self.open.begin() + static_cast<std::ptrdiff_t>(i - 1));
  if (section.past != kNone) self.past[section.past].released = self.now;
  return section;
}

// Keeps the later half, and knows nothing of the times that a section in the earlier one reaches to.
void OpenSections::forget(Thread& self) {
  const std::size_t dropped = self.past.size() / 2;
  self.forgotten = self.past[dropped].acquired;
  for (std::size_t i = 0; i < dropped; ++i) self.forgotten = std::max(self.forgotten, self.past[i].released);
  self.past.erase(self.past.begin(), self.past.begin() + static_cast<std::ptrdiff_t>(dropped));
  const auto move = [dropped](std::uint32_t& index) {
    index = index == kNone || index < dropped ? kNone : index - static_cast<std::uint32_t>(dropped);
  };
  for (Past& each : self.past) move(each.around);
  for (Open& each : self.open) move(each.past);
}

}  // namespace ravel

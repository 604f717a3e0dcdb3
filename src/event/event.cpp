#include "event/event.h"

#include <array>

namespace ravel {
namespace {

struct KindRow {
  std::string_view name;
  std::string_view mnemonic;
};

constexpr std::array kKinds = {
#define X(name, mnemonic, space, meaning) KindRow{#name, mnemonic},
    RAVEL_EVENT_KINDS(X)
#undef X
};

}  // namespace

std::string_view kind_name(EventKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }
std::string_view mnemonic(EventKind kind) { return kKinds[static_cast<std::size_t>(kind)].mnemonic; }

std::string_view operation_text(EventKind kind) {
  switch (kind) {
    case EventKind::Read:
    case EventKind::RetroRead:
      return "read";
    case EventKind::Write:
    case EventKind::RetroWrite:
      return "write";
    case EventKind::AtomicLoad:
      return "atomic load";
    case EventKind::AtomicStore:
      return "atomic store";
    case EventKind::AtomicRmw:
      return "atomic read-modify-write";
    case EventKind::Fence:
      return "fence";
    case EventKind::Acquire:
      return "acquire";
    case EventKind::Release:
      return "release";
    case EventKind::AcquireShared:
      return "shared acquire";
    case EventKind::ReleaseShared:
      return "shared release";
    case EventKind::Request:
      return "lock request";
    case EventKind::WaitBegin:
      return "wait";
    case EventKind::WaitEnd:
      return "wake-up";
    case EventKind::Notify:
      return "notify";
    case EventKind::NotifyAll:
      return "notify all";
    case EventKind::Fork:
      return "fork";
    case EventKind::Join:
      return "join";
    case EventKind::BarrierEnter:
      return "barrier arrival";
    case EventKind::BarrierExit:
      return "barrier exit";
    case EventKind::UnitBegin:
      return "unit begin";
    case EventKind::UnitEnd:
      return "unit end";
    case EventKind::Call:
      return "call";
    case EventKind::Return:
      return "return";
    case EventKind::Alloc:
      return "allocation";
    case EventKind::Free:
      return "free";
    case EventKind::ObjectBegin:
      return "object begin";
    case EventKind::Elapse:
      return "passing of local time";
    case EventKind::After:
      return "order after another thread";
    case EventKind::ObjectEnd:
      return "object end";
    case EventKind::ThreadStart:
      return "thread start";
    case EventKind::ThreadExit:
      return "thread exit";
    case EventKind::Block:
      return "block";
    case EventKind::Split:
      return "variable split";
    case EventKind::Retire:
      return "variable end";
  }
  CHECK(false, "unknown event kind");
}

std::string_view order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::None:
      return "";
    case MemoryOrder::Relaxed:
      return "relaxed";
    case MemoryOrder::Consume:
      return "consume";
    case MemoryOrder::Acquire:
      return "acquire";
    case MemoryOrder::Release:
      return "release";
    case MemoryOrder::AcqRel:
      return "acq_rel";
    case MemoryOrder::SeqCst:
      return "seq_cst";
  }
  CHECK(false, "unknown memory order");
}

}  // namespace ravel

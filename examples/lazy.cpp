// lazy: as random, but at nine points of ten the thread that ran last goes on.
#include "schedule/random_numbers.h"
#include "schedule/strategies.h"

namespace ravel {
namespace {

class Lazy final : public Strategy {
 public:
  explicit Lazy(std::uint64_t seed) : numbers_(seed) {}

  std::size_t choose(const Moment& now) override {
    const bool may_go_on = now.current != Moment::kNobody && !now.gives_way();
    if (may_go_on && numbers_.below(10) != 0) return now.current;
    return numbers_.below(now.candidates.size());
  }

 private:
  RandomNumbers numbers_;
};

}  // namespace

Strategy* make_lazy(const Schedule& schedule, Arena& arena) { return arena.make<Lazy>(schedule.seed); }

}  // namespace ravel

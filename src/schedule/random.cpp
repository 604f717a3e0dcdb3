// random: at every point any of the threads that can run, all equally likely (Park and Sen 2008, Algorithm
// 1). A thread that is about to yield or to sleep does not do so while others can run instead.
#include "schedule/random_numbers.h"
#include "schedule/strategies.h"

namespace ravel {
namespace {

class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed) : numbers_(seed) {}

  std::size_t choose(const Moment& now) override {
    const std::size_t count = now.candidates.size();
    if (!now.gives_way()) return numbers_.below(count);
    const std::size_t chosen = numbers_.below(count - 1);  // of the others
    return chosen < now.current ? chosen : chosen + 1;
  }

 private:
  RandomNumbers numbers_;
};

}  // namespace

Strategy* make_random(const Schedule& schedule, Arena& arena) { return arena.make<Random>(schedule.seed); }

}  // namespace ravel

// RandomNumbers: the same seed gives the same numbers, everywhere.
#pragma once

#include <cstdint>

namespace ravel {

/// SplitMix64 (Steele et al. 2014): one word of state, any seed is good.
class RandomNumbers {
 public:
  explicit constexpr RandomNumbers(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e37'79b9'7f4a'7c15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11eb;
    return z ^ z >> 31;
  }

  /// One of 0 .. count-1, all equally likely. `count` is at least 1.
  constexpr std::uint64_t below(std::uint64_t count) {
    const std::uint64_t surplus = -count % count;  // 2^64 mod count: so many would be likelier than the rest
    std::uint64_t number = next();
    while (number < surplus) number = next();
    return number % count;
  }

 private:
  std::uint64_t state_;
};

}  // namespace ravel

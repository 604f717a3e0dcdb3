// Searching a long list of times that pass about evenly: most of a binary search's steps would be cache
// misses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ravel {

/// Where count_until() will begin to look: an index.
template <typename TimeAt>
std::size_t guess_until(std::size_t size, std::uint64_t then, const TimeAt& time) {
  const std::uint64_t first = time(0), last = time(size - 1);
  if (then <= first) return 0;
  if (then >= last) return size - 1;
  return static_cast<std::size_t>(static_cast<double>(then - first) / static_cast<double>(last - first) *
                                  static_cast<double>(size - 1));
}

/// How many of the times `time(0)`, ..., `time(size - 1)`, which grow, are not after `then`. Looks around
/// where it would be if they were evenly apart.
template <typename TimeAt>
std::size_t count_until(std::size_t size, std::uint64_t then, const TimeAt& time) {
  if (size == 0 || time(0) > then) return 0;
  if (time(size - 1) <= then) return size;
  std::size_t low = 0, high = size - 1;  // time(low) <= then < time(high)
  const std::size_t guess = guess_until(size, then, time);
  if (guess > low && guess < high) {
    std::size_t step = 1;
    if (time(guess) <= then) {
      low = guess;
      for (; high - low > step && time(low + step) <= then; step *= 2) low += step;
      high = std::min(high, low + step);
    } else {
      high = guess;
      for (; high - low > step && time(high - step) > then; step *= 2) high -= step;
      low = high - low > step ? high - step : low;
    }
  }
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (time(middle) <= then ? low : high) = middle;
  }
  return high;
}

}  // namespace ravel

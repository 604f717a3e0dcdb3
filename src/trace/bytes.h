// Numbers as bytes: fixed-width integers of either byte order, varints, and a cursor that cannot leave its
// bytes.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace ravel {

using Bytes = std::vector<unsigned char>;
using ByteSpan = std::span<const unsigned char>;

static_assert(std::endian::native == std::endian::little, "the little-endian loads below are plain copies");

template <std::unsigned_integral T>
T load_little(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <std::unsigned_integral T>
void store_little(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

template <std::unsigned_integral T>
T load_big(const unsigned char* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value << 8 | from[i]);
  return value;
}

template <std::unsigned_integral T>
void store_big(unsigned char* to, T value) {
  for (std::size_t i = sizeof(T); i-- > 0; value = static_cast<T>(value >> 8)) {
    to[i] = static_cast<unsigned char>(value);
  }
}

template <std::unsigned_integral T>
void append_little(Bytes& out, T value) {
  out.resize(out.size() + sizeof(T));
  store_little(out.data() + out.size() - sizeof(T), value);
}

/// Small magnitudes of either sign become small numbers: 0, -1, 1, -2, ... -> 0, 1, 2, 3, ...
template <std::unsigned_integral T>
constexpr T zigzag(T difference) {
  return static_cast<T>(difference << 1) ^ static_cast<T>(T{0} - (difference >> (8 * sizeof(T) - 1)));
}
template <std::unsigned_integral T>
constexpr T unzigzag(T coded) {
  return static_cast<T>(coded >> 1) ^ static_cast<T>(T{0} - (coded & 1));
}

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Seven bits a byte, lowest first; the top bit says that more follow.
inline void append_varint(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<unsigned char>(value | 0x80));
  out.push_back(static_cast<unsigned char>(value));
}

inline void append_string(Bytes& out, std::string_view text) {
  append_varint(out, text.size());
  out.insert(out.end(), text.begin(), text.end());
}

/// Reads forward through bytes that may lie. A read beyond the end gives zero or nothing and makes ok() false
/// for good.
class ByteCursor {
 public:
  explicit ByteCursor(ByteSpan bytes) : rest_(bytes) {}

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const unsigned char byte = rest_.front();
      rest_ = rest_.subspan(1);
      if (shift == 63 && byte > 1) break;  // does not fit
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    spoil();
    return 0;
  }

  ByteSpan take(std::uint64_t size) {
    if (size > rest_.size()) {
      spoil();
      return {};
    }
    const ByteSpan taken = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  std::string_view string() {
    const ByteSpan text = take(varint());
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  bool ok() const { return ok_; }
  std::size_t left() const { return rest_.size(); }

 private:
  void spoil() {
    ok_ = false;
    rest_ = {};
  }

  ByteSpan rest_;
  bool ok_ = true;
};

}  // namespace ravel

// Values of every kind live while memory is accessed, and what is done for an access leaves them alone.
// EXPECT: none
#include <cstdint>
#include <cstring>
#include <thread>

constexpr int kCount = 64;
std::uint64_t words[kCount];
double numbers[kCount];
float singles[kCount];
unsigned char raw[8 * kCount + 8];

// More values at once than there are registers.
__attribute__((noinline)) std::uint64_t many_words(const std::uint64_t* p, std::uint64_t* q) {
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12;
  for (int n = 0; n < kCount; n += 4) {
    a += p[n] + l, b += p[n + 1] ^ a, c += p[n + 2] - b, d += p[n + 3] + c;
    e ^= a + d, f += e, g ^= f + b, h += g, i ^= h + c, j += i, k ^= j, l += k;
    q[n] = p[n];
    q[n + 1] = p[n + 1];
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
}

__attribute__((noinline)) double many_numbers(const double* p, float* q) {
  double a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  for (int n = 0; n < kCount; n += 8) {
    a += p[n], b += p[n + 1], c += p[n + 2], d += p[n + 3];
    e += p[n + 4] * a, f += p[n + 5] * b, g += p[n + 6] * c, h += p[n + 7] * d;
    q[n] = static_cast<float>(p[n + 1]);
  }
  return a + b + c + d + e + f + g + h;
}

// Vectors, if the compiler makes them.
__attribute__((noinline)) void add_up(double* into, const double* from, float* singles_into) {
  for (int n = 0; n < kCount; ++n) {
    into[n] = into[n] * 2 + from[n];
    singles_into[n] += 1;
  }
}

// Eight bytes at every offset, across the borders of words, too.
__attribute__((noinline)) std::uint64_t shifted(unsigned char* p, int at) {
  std::uint64_t eight = 0;
  std::uint32_t four = 0;
  std::uint16_t two = 0;
  std::memcpy(&eight, p + at, sizeof eight);
  std::memcpy(&four, p + at + 1, sizeof four);
  std::memcpy(&two, p + at + 3, sizeof two);
  const std::uint64_t sum = eight + four + two;
  std::memcpy(p + at, &sum, sizeof sum);
  return sum;
}

__attribute__((noinline)) std::uint64_t down(int depth, std::uint64_t value, double number,
                                             const std::uint64_t* p) {
  const std::uint64_t here = p[depth % kCount];
  if (depth == 0) return value + static_cast<std::uint64_t>(number) + here;
  const std::uint64_t below = down(depth - 1, value * 3 + here, number + 0.5, p);
  return below ^ (value + p[(depth + 1) % kCount]) ^ static_cast<std::uint64_t>(number);
}

// The same over values that the compiler knows to be nobody's but its own.
struct Plain {
  std::uint64_t words[kCount];
  std::uint64_t copy[kCount];
};

__attribute__((noinline, no_sanitize("thread"))) std::uint64_t expected_words(const Plain& plain) {
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12;
  for (int n = 0; n < kCount; n += 4) {
    a += plain.words[n] + l, b += plain.words[n + 1] ^ a, c += plain.words[n + 2] - b,
        d += plain.words[n + 3] + c;
    e ^= a + d, f += e, g ^= f + b, h += g, i ^= h + c, j += i, k ^= j, l += k;
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
}

__attribute__((noinline, no_sanitize("thread"))) std::uint64_t expected_down(int depth, std::uint64_t value,
                                                                             double number,
                                                                             const Plain& plain) {
  const std::uint64_t here = plain.words[depth % kCount];
  if (depth == 0) return value + static_cast<std::uint64_t>(number) + here;
  const std::uint64_t below = expected_down(depth - 1, value * 3 + here, number + 0.5, plain);
  return below ^ (value + plain.words[(depth + 1) % kCount]) ^ static_cast<std::uint64_t>(number);
}

int failures;

void work() {
  Plain plain{};
  for (int n = 0; n < kCount; ++n) {
    plain.words[n] = words[n] = static_cast<std::uint64_t>(n) * 0x9e37'79b9'7f4a'7c15;
    numbers[n] = n;
    singles[n] = 0;
  }
  if (many_words(words, plain.copy) != expected_words(plain)) failures |= 1;
  if (many_numbers(numbers, singles) != 143432) failures |= 2;
  if (singles[8] != 9) failures |= 4;
  add_up(numbers, numbers, singles);
  if (numbers[63] != 3 * 63 || singles[8] != 10 || singles[9] != 1) failures |= 8;
  std::uint64_t sum = 0;
  for (int n = 0; n < 8 * kCount; ++n) raw[n] = static_cast<unsigned char>(n * 7);
  for (int n = 0; n < 64; ++n) sum += shifted(raw, n);
  if (sum != 0x80bf'ff5d'daff'2040) failures |= 16;
  if (down(20'000, 7, 1.5, words) != expected_down(20'000, 7, 1.5, plain)) failures |= 32;
}

int main() {
  work();
  std::thread(work).join();
  work();
  return failures;
}

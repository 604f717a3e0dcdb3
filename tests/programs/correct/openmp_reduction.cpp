// Sums of the parts of threads: of numbers, of arrays, of a type of the program's own.
// EXPECT: none
// RUN: -fopenmp
// NEEDS: <omp.h>
struct Range {
  int low = 1 << 30;
  int high = 0;
};
void widen(Range& to, const Range& by) {
  to.low = by.low < to.low ? by.low : to.low;
  to.high = by.high > to.high ? by.high : to.high;
}
#pragma omp declare reduction(widen:Range : widen(omp_out, omp_in)) initializer(omp_priv = Range{})

long sum, product;
double average;
int digits[10];
Range range;

int main() {
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel for num_threads(6) reduction(+ : sum, average)
    for (int i = 0; i < 100; ++i) {
      sum += i;
      average += i / 100.0;
    }
#pragma omp parallel num_threads(6)
    {
#pragma omp for reduction(+ : digits) nowait
      for (int i = 0; i < 100; ++i) digits[i % 10] += i;
#pragma omp for reduction(+ : product)
      for (int i = 1; i < 10; ++i) product += i;
    }
#pragma omp parallel for num_threads(6) reduction(widen : range)
    for (int i = 1; i < 100; ++i) widen(range, {i, i});
    if (sum != (round + 1) * 4950 || digits[3] != (round + 1) * 480) return 1;
  }
  return range.low == 1 && range.high == 99 && product == 225 && average > 0 ? 0 : 1;
}

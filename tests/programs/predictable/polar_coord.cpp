// A point counts how often it was used, in one method before and in the other behind the section of its lock.
// If one thread is through before the other begins, the lock orders the two (Sadowski 2012, Figure 10.1).
// EXPECT: race on PolarCoord::count
#include <mutex>
#include <thread>

class PolarCoord {
 public:
  void set_radius(int radius) {
    count_use();
    const std::lock_guard hold(mutex_);
    radius_ = radius;
  }

  int angle() {
    int seen = 0;
    {
      const std::lock_guard hold(mutex_);
      seen = angle_;
    }
    count_use();
    return seen;
  }

  int count = 0;

 private:
  void count_use() { ++count; }

  std::mutex mutex_;
  int radius_ = 0;
  int angle_ = 0;
};

PolarCoord point;

int main() {
  std::thread first([] { point.set_radius(10); });
  std::thread second([] { point.angle(); });
  first.join();
  second.join();
  return point.count > 2;
}

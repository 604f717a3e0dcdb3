// A virtual call while another thread's destructor changes the object's type.
// EXPECT: race
#include <atomic>
#include <new>
#include <thread>

struct Base {
  virtual ~Base() = default;
  virtual int kind() const { return 0; }
};

struct Derived : Base {
  ~Derived() override { value = 0; }
  int kind() const override { return value; }
  int value = 1;
};

alignas(Derived) char storage[sizeof(Derived)];
std::atomic<bool> called;

int main() {
  Derived* const object = new (storage) Derived;
  std::thread caller([object] {
    [[maybe_unused]] volatile int seen = static_cast<const Base*>(object)->kind();
    called.store(true, std::memory_order_relaxed);
  });
  std::thread destroyer([object] {
    while (!called.load(std::memory_order_relaxed)) std::this_thread::yield();
    object->~Derived();
  });
  caller.join();
  destroyer.join();
}

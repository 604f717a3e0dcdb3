// A virtual call while another thread's destructor changes the object's type.
// EXPECT: race on storage
#include <atomic>
#include <new>
#include <thread>

struct Base {
  virtual ~Base();
  virtual int kind() const { return 0; }
};

struct Derived : Base {
  int kind() const override { return 1; }
};

// The compiler would leave out what the end of the object hides.
[[gnu::noinline]] void look_at(const Base* object) { asm volatile("" : : "r"(object) : "memory"); }

Base::~Base() { look_at(this); }

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

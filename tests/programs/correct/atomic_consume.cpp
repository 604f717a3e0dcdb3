// Consume through a pointer; compilers treat it as acquire.
// EXPECT: none
#include <atomic>
#include <thread>

struct Message {
  int text = 0;
};

std::atomic<Message*> box;

int main() {
  std::thread writer([] {
    auto* message = new Message;
    message->text = 42;
    box.store(message, std::memory_order_release);
  });
  std::thread reader([] {
    Message* message = nullptr;
    while ((message = box.load(std::memory_order_consume)) == nullptr) std::this_thread::yield();
    [[maybe_unused]] volatile int seen = message->text;
    delete message;
  });
  writer.join();
  reader.join();
}

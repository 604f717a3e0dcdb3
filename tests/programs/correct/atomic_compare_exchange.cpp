// A stack of nodes pushed by compare-exchange: release on success, and the taker acquires the whole chain.
// EXPECT: none
#include <atomic>
#include <thread>

struct Node {
  int value;
  Node* next;
};

std::atomic<Node*> head;

void push(int value) {
  Node* node = new Node{value, head.load(std::memory_order_relaxed)};
  while (
      !head.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

int main() {
  std::thread first([] {
    for (int i = 0; i < 20; ++i) push(i);
  });
  std::thread second([] {
    for (int i = 0; i < 20; ++i) push(i);
  });
  std::thread taker([] {
    for (int got = 0; got < 40;) {
      Node* node = head.exchange(nullptr, std::memory_order_acquire);
      while (node != nullptr) {
        Node* const next = node->next;
        delete node;
        node = next;
        ++got;
      }
      std::this_thread::yield();
    }
  });
  first.join();
  second.join();
  taker.join();
}

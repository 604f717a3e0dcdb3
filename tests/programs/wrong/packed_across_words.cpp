// A number lies across two words. Its thread has read the first of them just before, so that only the second
// is news when it reads the number; another thread writes a byte there.
// EXPECT: race on record
#include <thread>

struct __attribute__((packed)) Record {
  char head[6];
  int number;  // bytes 6 to 9
  char tail[6];
};
alignas(8) Record record;

int main() {
  int sum = 0;
  std::thread reader([&sum] {
    for (const char& byte : record.head) sum += byte;
    const volatile char* const bytes = reinterpret_cast<const char*>(&record);
    sum += bytes[6] + bytes[7];
    sum += record.number;
  });
  std::thread writer([] { reinterpret_cast<volatile char*>(&record)[9] = 1; });
  reader.join();
  writer.join();
}

// The same with a lock inside the plugin, which is unloaded and loaded again.
// EXPECT: none
// ALSO: -shared -fPIC -DPLUGIN
#ifdef PLUGIN

#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int plugin_calls;

extern "C" void plugin_work() {
  pthread_mutex_lock(&lock);
  ++plugin_calls;
  pthread_mutex_unlock(&lock);
}

#else

#include <dlfcn.h>

#include <string>
#include <thread>

int main(int, char** arguments) {
  for (int round = 0; round < 3; ++round) {
    void* plugin = dlopen((std::string(arguments[0]) + ".so").c_str(), RTLD_NOW);
    if (plugin == nullptr) return 1;
    auto* work = reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_work"));
    std::thread first(work);
    std::thread second(work);
    first.join();
    second.join();
    dlclose(plugin);
  }
}

#endif

// Two threads call into a plugin that was loaded while the program ran.
// EXPECT: race on plugin_calls
// ALSO: -shared -fPIC -DPLUGIN
#ifdef PLUGIN

int plugin_calls;
extern "C" void plugin_work() { ++plugin_calls; }

#else

#include <dlfcn.h>

#include <string>
#include <thread>

int main(int, char** arguments) {
  void* plugin = dlopen((std::string(arguments[0]) + ".so").c_str(), RTLD_NOW);
  if (plugin == nullptr) return 1;
  auto* work = reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_work"));
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}

#endif

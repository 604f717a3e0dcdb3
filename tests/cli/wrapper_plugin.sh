# An instrumented library inside a host that knows nothing of it: a plugin, and a library that Python loads.
source "$RAVEL_SOURCE_DIR/tests/cli/support/wrapper.bash"

cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void* plugin = dlopen("./plugin.so", RTLD_NOW);
  int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;
  if (!work) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  return work() != 1;
}
END
printf '%s\n' 'static int x;' 'int work(void) {' '  x++;' '  return x;' '}' >plugin.c
gcc host.c -o host
for compiler in "${compilers[@]}"; do
  expect 0 "$cc" --ravel-compiler="$compiler" -shared -fPIC plugin.c -o plugin.so
  ours plugin.so
  # The library brings the runtime; whoever records preloads it, so that it is there from the start.
  hooked ./host
  LD_PRELOAD=$RAVEL_RUNTIME_DIR/libravel_rt.so hooked ./host
  hooked python3 -c 'import ctypes; assert ctypes.CDLL("./plugin.so").work() == 1'

  # An instrumented host with a plain plugin and an instrumented one.
  expect 0 "$cc" --ravel-compiler="$compiler" host.c -o our_host
  hooked ./our_host
  gcc -shared -fPIC plugin.c -o plugin.so
  hooked ./our_host
done

// ravel-cc and ravel-c++: the same program but for RAVEL_WRAPPER_LANGUAGE, since tools that start a compiler
// may resolve a link or change the name it is called by.
#include <string>
#include <vector>

#include "instrument/wrapper.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  return ravel::instrument::run_wrapper(ravel::instrument::Language::RAVEL_WRAPPER_LANGUAGE, arguments);
}

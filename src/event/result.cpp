#include "event/result.h"

namespace ravel {

std::string Error::text() const {
  if (file.empty()) return message;
  if (line == 0) return file + ": " + message;
  return file + ":" + std::to_string(line) + ": " + message;
}

}  // namespace ravel

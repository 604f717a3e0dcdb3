// pthread_once, for its POSIX and C11 names.
#pragma once

#include <pthread.h>

#include "runtime/recorder.h"

namespace ravel::rt {

int do_once(pthread_once_t* once, void (*initialize)(), Pc pc);

}  // namespace ravel::rt

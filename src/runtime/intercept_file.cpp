// Locks of files that the program takes by itself. Those within the C library's own functions are not seen.
#include <errno.h>
#include <stdio.h>

#include "runtime/intercept.h"

RAVEL_REAL(flockfile)
RAVEL_REAL(ftrylockfile)
RAVEL_REAL(funlockfile)

namespace ravel::rt {
namespace {

/// Whether the caller, who has it, has it once; only then is it taken or given back. (glibc's layout: the
/// lock, how often its owner has taken it.)
bool is_outermost(const FILE* file) { return reinterpret_cast<const int*>(file->_lock)[1] == 1; }

void lock_file(FILE* file, Pc pc) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_flockfile()(file);
  const Operation operation{.kind = OperationKind::Lock, .object = file, .pc = pc};
  before(self, operation);
  if (controlled)
    try_until(operation, kNever, false, [file] { return real_ftrylockfile()(file) == 0 ? 0 : EBUSY; });
  else
    real_flockfile()(file);
  after(self, operation, is_outermost(file));
}

}  // namespace
}  // namespace ravel::rt

using namespace ravel::rt;

RAVEL_INTERCEPT(void, flockfile, FILE* file) { lock_file(file, RAVEL_CALLER); }
RAVEL_INTERCEPT(int, ftrylockfile, FILE* file) {
  Thread* const self = acting_thread();
  if (self == nullptr) return real_ftrylockfile()(file);
  const Operation operation{.kind = OperationKind::TryLock, .object = file, .pc = RAVEL_CALLER};
  before(self, operation);
  const int result = real_ftrylockfile()(file);
  after(self, operation, result == 0 && is_outermost(file));
  return result;
}
RAVEL_INTERCEPT(void, funlockfile, FILE* file) {
  Thread* const self = acting_thread();
  if (self == nullptr || !is_outermost(file)) return real_funlockfile()(file);
  const Operation operation{.kind = OperationKind::Unlock, .object = file, .pc = RAVEL_CALLER};
  before(self, operation);
  real_funlockfile()(file);
  after(self, operation);
}

/* What a program may tell ravel about itself. Header only, for C and C++.
 *
 * Nothing here needs ravel: the functions are weak references that ravel's runtime defines. In a program
 * without it they are null and each mark is one test of a pointer; with -DRAVEL_NO_ANNOTATIONS a mark is
 * nothing at all.
 *
 *   RAVEL_UNIT_BEGIN("transfer");
 *   ...
 *   RAVEL_UNIT_END("transfer");
 *     A unit of work: what happens between the two, on this thread, is meant to be atomic. Units nest. The
 *     end of a unit also ends those within it that an exception has left.
 *
 *   RAVEL_UNIT("transfer");
 *     C++: the same, until the end of the block, also by an exception.
 *
 *   RAVEL_HAPPENS_BEFORE(&address);
 *   RAVEL_HAPPENS_AFTER(&address);
 *     All that this thread did before the first mark happens before all that another thread does after a
 *     later mark of the second kind with the same address. For synchronization that ravel cannot see:
 *     hardware, shared memory, hand-written assembler. The first comes before the operation that lets the
 *     other thread go on, the second after the one that waited for it.
 *
 *   RAVEL_BENIGN_RACE(&object, sizeof object, "statistics only");
 *     Races on these bytes are known and wanted.
 */
#ifndef RAVEL_ANNOTATE_H
#define RAVEL_ANNOTATE_H

#include <stddef.h>

#ifdef RAVEL_NO_ANNOTATIONS

#define RAVEL_UNIT_BEGIN(label) ((void)0)
#define RAVEL_UNIT_END(label) ((void)0)
#define RAVEL_HAPPENS_BEFORE(address) ((void)0)
#define RAVEL_HAPPENS_AFTER(address) ((void)0)
#define RAVEL_BENIGN_RACE(address, size, reason) ((void)0)
#ifdef __cplusplus
#define RAVEL_UNIT(label) static_assert(true)
#endif

#else

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void ravel_unit_begin(const char* label);
__attribute__((weak)) void ravel_unit_end(const char* label);
__attribute__((weak)) void ravel_happens_before(const void* address);
__attribute__((weak)) void ravel_happens_after(const void* address);
__attribute__((weak)) void ravel_benign_race(const void* address, size_t size, const char* reason);
#ifdef __cplusplus
}
#endif

#define RAVEL_UNIT_BEGIN(label) (ravel_unit_begin ? ravel_unit_begin(label) : (void)0)
#define RAVEL_UNIT_END(label) (ravel_unit_end ? ravel_unit_end(label) : (void)0)
#define RAVEL_HAPPENS_BEFORE(address) (ravel_happens_before ? ravel_happens_before(address) : (void)0)
#define RAVEL_HAPPENS_AFTER(address) (ravel_happens_after ? ravel_happens_after(address) : (void)0)
#define RAVEL_BENIGN_RACE(address, size, reason) \
  (ravel_benign_race ? ravel_benign_race(address, size, reason) : (void)0)

#ifdef __cplusplus
namespace ravel {

/// A unit of work for as long as the object lives.
class Unit {
 public:
  explicit Unit(const char* label) : label_(label) { RAVEL_UNIT_BEGIN(label); }
  ~Unit() { RAVEL_UNIT_END(label_); }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

 private:
  const char* label_;
};

}  // namespace ravel

#define RAVEL_UNIT_NAME_(line) ravel_unit_at_##line
#define RAVEL_UNIT_AT_(label, line) const ::ravel::Unit RAVEL_UNIT_NAME_(line)(label)
#define RAVEL_UNIT(label) RAVEL_UNIT_AT_(label, __LINE__)
#endif

#endif
#endif

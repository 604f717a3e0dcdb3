// System calls by hand (raw_calls.c), past the C library.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// -errno on failure.
long raw_call(long number, long a, long b, long c, long d, long e, long f);
void raw_sleep(long milliseconds);
void raw_wait(const int* word, int value);
void raw_wake(const int* word, int count);
/// Whether a call left all registers alone that it must.
int raw_call_keeps_registers(void);

/// A mutex as a library may have one.
void raw_lock(int* mutex);
void raw_unlock(int* mutex);

#ifdef __cplusplus
}
#endif

// Functions of the C library that its headers show to GNU sources only, and Swift's module of it not at all.

#ifndef FLOW_GLIBC_SHIM_H
#define FLOW_GLIBC_SHIM_H

#include <pthread.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <time.h>

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
char *strptime(const char *text, const char *format, struct tm *time);
void *memmem(const void *text, size_t count, const void *part, size_t part_count);

/// A descriptor that becomes readable when it is written to, its flags being an enum that Swift takes for another type.
static inline int flow_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Where the caller's frame is. Taking a variable's address would not do: sanitizers keep variables elsewhere.
static inline void *flow_frame_address(void) { return __builtin_frame_address(0); }

#endif

// Functions of the C library that its headers show to GNU sources only, and Swift's module of it not at all.

#ifndef FLOW_GLIBC_SHIM_H
#define FLOW_GLIBC_SHIM_H

#include <pthread.h>
#include <linux/stat.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <time.h>

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
char *strptime(const char *text, const char *format, struct tm *time);
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status);
void *memrchr(const void *text, int byte, size_t count);
void *memmem(const void *text, size_t count, const void *part, size_t part_count);

/// Where the caller's frame is. Taking a variable's address would not do: sanitizers keep variables elsewhere.
static inline void *flow_frame_address(void) { return __builtin_frame_address(0); }

static const int flow_eventfd_flags = EFD_CLOEXEC | EFD_NONBLOCK;
static const int flow_inotify_flags = IN_CLOEXEC | IN_NONBLOCK;

#endif

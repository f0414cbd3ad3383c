// Functions of the C library that its headers show to GNU sources only, and Swift's module of it not at all.

#ifndef FLOW_GLIBC_SHIM_H
#define FLOW_GLIBC_SHIM_H

#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <linux/stat.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
char *strptime(const char *text, const char *format, struct tm *time);
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status);
void *memrchr(const void *text, int byte, size_t count);
void *memmem(const void *text, size_t count, const void *part, size_t part_count);
int sched_getcpu(void);
int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// A descriptor that becomes readable when it is written to, its flags being an enum that Swift takes for another type.
static inline int flow_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// A file in memory, which has no name; -1 where the system has no room for one.
static inline int flow_memory_file(void) { return (int)syscall(SYS_memfd_create, "flow", 1U /* MFD_CLOEXEC */); }

/// Where the caller's frame is. Taking a variable's address would not do: sanitizers keep variables elsewhere.
static inline void *flow_frame_address(void) { return __builtin_frame_address(0); }

/// Whether the caller is the thread that the process began with.
static inline int flow_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/// A descriptor that becomes readable when the child has ended; -1 where the kernel has no such thing.
static inline int flow_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Sets a soft limit of another process that is still `from`.
static inline void flow_restore_limit(pid_t process, int kind, rlim_t from, rlim_t to) {
  uint64_t limit[2];
  if (syscall(SYS_prlimit64, process, kind, NULL, limit) != 0 || limit[0] != from) return;
  limit[0] = to;
  syscall(SYS_prlimit64, process, kind, limit, NULL);
}

/// Has a line of memory fetched into the caches.
static inline void flow_prefetch(const void *line) { __builtin_prefetch(line); }

/// What a child exited with; -1 if a signal ended it.
static inline int flow_exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

/// The signal that ended a child; 0 if it exited.
static inline int flow_ending_signal(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : 0; }

/// The program's code, from the linker.
extern const char __executable_start[], etext[];

static inline const void *flow_code_start(void) { return __executable_start; }
static inline const void *flow_code_end(void) { return etext; }

static const int flow_inotify_flags = IN_CLOEXEC | IN_NONBLOCK;

#endif

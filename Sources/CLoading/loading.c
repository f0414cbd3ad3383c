#include "cloading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void load(struct flow_library *library) {
  char *failure = library->failure;
  const int size = sizeof library->failure;
  void *handle = 0;
  for (const char *const *file = library->files; !handle && *file; file++) handle = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(failure, size, "%s cannot be loaded: %s; it is in the package %s", library->name, dlerror(), library->package);
    return;
  }
  for (const struct flow_function *function = library->functions; function->name; function++) {
    char name[128];
    snprintf(name, sizeof name, "%s%s", library->prefix ? library->prefix : "", function->name);
    if ((*(void **)function->place = dlsym(handle, name))) continue;
    snprintf(
      failure, size, "%s is too old: it has no %s%s%s%s", library->name, name, library->version ? "; " : "",
      library->version ? library->version : "", library->version ? " or newer is needed" : "");
    return;
  }
  const char *problem = library->begin ? library->begin(handle) : 0;
  if (problem) snprintf(failure, size, "%s", problem);
}

const char *flow_load(struct flow_library *library) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  if (!library->isTried) load(library);
  library->isTried = true;
  pthread_mutex_unlock(&mutex);
  return library->failure[0] ? library->failure : 0;
}

#include "cmqtt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
static struct {
  FLOW_MQTT_FUNCTIONS(MEMBER)
  int (*lib_init)(void);
  int (*pending)(const void *);
} library;

static char failure[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The number of its interface, which has not changed since 2012.
  void *handle = dlopen("libmosquitto.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(
      failure, sizeof failure, "libmosquitto cannot be loaded: %s; it is in the package libmosquitto1", dlerror());
    return;
  }
#define FIND(result, name, parameters, arguments)                                                               \
  if (!(*(void **)&library.name = dlsym(handle, "mosquitto_" #name))) {                                         \
    snprintf(failure, sizeof failure, "libmosquitto is too old: it has no mosquitto_" #name "; 2.0 or newer is needed"); \
    return;                                                                                                     \
  }
  FLOW_MQTT_FUNCTIONS(FIND)
  FIND(, lib_init, , )
  // Of the library for TLS that it is linked with, if any.
  *(void **)&library.pending = dlsym(handle, "SSL_pending");
  library.lib_init();
}

const char *flow_mqtt_load(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : 0;
}

#define CALL(result, name, parameters, arguments) \
  result flow_mqtt_##name parameters { return library.name arguments; }
FLOW_MQTT_FUNCTIONS(CALL)

bool flow_mqtt_has_more(struct mosquitto *client) {
  void *encryption = library.ssl_get(client);
  return encryption && library.pending && library.pending(encryption) > 0;
}

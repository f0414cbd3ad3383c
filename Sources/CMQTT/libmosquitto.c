#include "cmqtt.h"

#include <cloading.h>
#include <dlfcn.h>

#define FUNCTIONS(each) FLOW_MQTT_FUNCTIONS(each) each(int, lib_init, (void))

static int (*pending)(const void *);
static const char *begin(void *handle);

// The number of its interface has not changed since 2012.
FLOW_LIBRARY(
  FUNCTIONS, .name = "libmosquitto", .files = FLOW_FILES("libmosquitto.so.1"), .package = "libmosquitto1",
  .version = "2.0", .prefix = "mosquitto_", .begin = begin)

static const char *begin(void *handle) {
  // Of the library for TLS that it is linked with, if any.
  *(void **)&pending = dlsym(handle, "SSL_pending");
  library.lib_init();
  return 0;
}

const char *flow_mqtt_load(void) { return flow_load(&loading); }

#define CALL(result, name, parameters, arguments) \
  result flow_mqtt_##name parameters { return library.name arguments; }
FLOW_MQTT_FUNCTIONS(CALL)

bool flow_mqtt_has_more(struct mosquitto *client) {
  void *encryption = library.ssl_get(client);
  return encryption && pending && pending(encryption) > 0;
}

#ifndef CMQTT_H
#define CMQTT_H

// libmosquitto, loaded when a pipeline first uses MQTT, and what is declared of it: names, numbers and types are its own.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mosquitto;
typedef struct mqtt5__property mosquitto_property;

struct mosquitto_message {
  int mid;
  char *topic;
  void *payload;
  int payloadlen;
  int qos;
  bool retain;
};

enum { FLOW_MQTT_NO_CONNECTION = 4, FLOW_MQTT_LOST = 7 };
/// Settings: the version of the protocol, whether small packets are sent at once, and the authorities of the system.
enum { FLOW_MQTT_VERSION = 1, FLOW_MQTT_NO_DELAY = 11, FLOW_MQTT_SYSTEM_AUTHORITIES = 13 };
/// The identifiers of properties in MQTT 5.
enum { FLOW_MQTT_SESSION_EXPIRY = 17 };

// Each function: result, name, parameters, arguments.
#define FLOW_MQTT_FUNCTIONS(each)                                                                                     \
  each(int, lib_version, (int *major, int *minor, int *revision), (major, minor, revision))                           \
  each(struct mosquitto *, new, (const char *id, bool clean, void *context), (id, clean, context))                    \
  each(void, destroy, (struct mosquitto *m), (m))                                                                     \
  each(int, threaded_set, (struct mosquitto *m, bool on), (m, on))                                                    \
  each(int, int_option, (struct mosquitto *m, int option, int value), (m, option, value))                             \
  each(int, username_pw_set, (struct mosquitto *m, const char *user, const char *password), (m, user, password))      \
  each(int, tls_set, (struct mosquitto *m, const char *authorities, const char *folder, const char *certificate,      \
       const char *key, int (*password)(char *, int, int, void *)), (m, authorities, folder, certificate, key, password)) \
  each(int, tls_opts_set, (struct mosquitto *m, int verifies, const char *version, const char *ciphers),              \
       (m, verifies, version, ciphers))                                                                               \
  each(int, tls_insecure_set, (struct mosquitto *m, bool on), (m, on))                                                \
  each(int, will_set, (struct mosquitto *m, const char *topic, int length, const void *data, int qos, bool retain),   \
       (m, topic, length, data, qos, retain))                                                                         \
  each(int, connect_bind_v5, (struct mosquitto *m, const char *host, int port, int keepalive, const char *address,    \
       const mosquitto_property *properties), (m, host, port, keepalive, address, properties))                        \
  each(int, disconnect, (struct mosquitto *m), (m))                                                                   \
  each(int, socket, (struct mosquitto *m), (m)) each(bool, want_write, (struct mosquitto *m), (m))                    \
  each(int, loop_read, (struct mosquitto *m, int packets), (m, packets))                                              \
  each(int, loop_write, (struct mosquitto *m, int packets), (m, packets))                                             \
  each(int, loop_misc, (struct mosquitto *m), (m))                                                                    \
  each(int, subscribe, (struct mosquitto *m, int *id, const char *topic, int qos), (m, id, topic, qos))               \
  each(int, unsubscribe, (struct mosquitto *m, int *id, const char *topic), (m, id, topic))                           \
  each(int, publish, (struct mosquitto *m, int *id, const char *topic, int length, const void *data, int qos,         \
       bool retain), (m, id, topic, length, data, qos, retain))                                                       \
  each(int, property_add_int32, (mosquitto_property **list, int identifier, uint32_t value), (list, identifier, value)) \
  each(void, property_free_all, (mosquitto_property **list), (list))                                                  \
  each(const char *, strerror, (int error), (error)) each(const char *, reason_string, (int reason), (reason))        \
  each(const char *, connack_string, (int reason), (reason)) each(void *, ssl_get, (struct mosquitto *m), (m))        \
  each(void, connect_v5_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int, int,        \
       const mosquitto_property *)), (m, call))                                                                       \
  each(void, disconnect_v5_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int,          \
       const mosquitto_property *)), (m, call))                                                                       \
  each(void, publish_v5_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int, int,        \
       const mosquitto_property *)), (m, call))                                                                       \
  each(void, subscribe_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int, int,         \
       const int *)), (m, call))                                                                                      \
  each(void, unsubscribe_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int)), (m, call)) \
  each(void, message_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *,                     \
       const struct mosquitto_message *)), (m, call))                                                                  \
  each(void, log_callback_set, (struct mosquitto *m, void (*call)(struct mosquitto *, void *, int, const char *)),    \
       (m, call))

#define FLOW_MQTT_DECLARE(result, name, parameters, arguments) result flow_mqtt_##name parameters;
FLOW_MQTT_FUNCTIONS(FLOW_MQTT_DECLARE)

/// Loads libmosquitto; a sentence where that is not possible, else null. The other functions may be called only after that.
const char *flow_mqtt_load(void);

/// Whether a client has read more from an encrypted connection than it has handled, for which no descriptor is readable.
bool flow_mqtt_has_more(struct mosquitto *client);

#endif

#include "cnats.h"

#include <cloading.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

typedef void handler(void *connection, void *subscription, void *message, void *context);
typedef void change(void *connection, void *context);
typedef void error(void *connection, void *subscription, int status, void *context);

// What is used of libnats: result, name and parameters. Only what has worked without faults since 3.4 is, so JetStream
// is JSON in requests, and no subscription is destroyed while its connection is open.
#define FUNCTIONS(each) \
  each(const char *, nats_GetVersion, (void)) \
  each(const char *, nats_GetLastError, (int *)) \
  each(const char *, natsStatus_GetText, (int)) \
  each(int, natsOptions_Create, (void **)) \
  each(void, natsOptions_Destroy, (void *)) \
  each(int, natsOptions_SetServers, (void *, const char *const *, int)) \
  each(int, natsOptions_SetName, (void *, const char *)) \
  each(int, natsOptions_SetUserInfo, (void *, const char *, const char *)) \
  each(int, natsOptions_SetToken, (void *, const char *)) \
  each(int, natsOptions_SetUserCredentialsFromFiles, (void *, const char *, const char *)) \
  each(int, natsOptions_SetNKeyFromSeed, (void *, const char *, const char *)) \
  each(int, natsOptions_SetSecure, (void *, bool)) \
  each(int, natsOptions_SkipServerVerification, (void *, bool)) \
  each(int, natsOptions_LoadCATrustedCertificates, (void *, const char *)) \
  each(int, natsOptions_LoadCertificatesChain, (void *, const char *, const char *)) \
  each(int, natsOptions_SetTimeout, (void *, int64_t)) \
  each(int, natsOptions_SetMaxReconnect, (void *, int)) \
  each(int, natsOptions_SetReconnectWait, (void *, int64_t)) \
  each(int, natsOptions_SetReconnectBufSize, (void *, int)) \
  each(int, natsOptions_SetPingInterval, (void *, int64_t)) \
  each(int, natsOptions_SetMaxPingsOut, (void *, int)) \
  each(int, natsOptions_SetWriteDeadline, (void *, int64_t)) \
  each(int, natsOptions_SetErrorHandler, (void *, error *, void *)) \
  each(int, natsOptions_SetDisconnectedCB, (void *, change *, void *)) \
  each(int, natsOptions_SetReconnectedCB, (void *, change *, void *)) \
  each(int, natsOptions_SetClosedCB, (void *, change *, void *)) \
  each(int, natsConnection_Connect, (void **, void *)) \
  each(void, natsConnection_Close, (void *)) \
  each(void, natsConnection_Destroy, (void *)) \
  each(int, natsConnection_GetLastError, (void *, const char **)) \
  each(int64_t, natsConnection_GetMaxPayload, (void *)) \
  each(int, natsConnection_PublishMsg, (void *, void *)) \
  each(int, natsConnection_FlushTimeout, (void *, int64_t)) \
  each(int, natsConnection_Subscribe, (void **, void *, const char *, handler *, void *)) \
  each(int, natsSubscription_SetOnCompleteCB, (void *, void (*)(void *), void *)) \
  each(int, natsSubscription_SetPendingLimits, (void *, int, int)) \
  each(int, natsInbox_Create, (char **)) \
  each(void, natsInbox_Destroy, (char *)) \
  each(int, natsMsg_Create, (void **, const char *, const char *, const char *, int)) \
  each(void, natsMsg_Destroy, (void *)) \
  each(const char *, natsMsg_GetSubject, (const void *)) \
  each(const char *, natsMsg_GetData, (const void *)) \
  each(int, natsMsg_GetDataLength, (const void *)) \
  each(int, natsMsgHeader_Set, (void *, const char *, const char *)) \
  each(int, natsMsgHeader_Get, (void *, const char *, const char **)) \
  each(int, natsMsgHeader_Keys, (void *, const char ***, int *))

#define MINOR(number) "libnats.so.3." #number
FLOW_LIBRARY(
  FUNCTIONS, .name = "libnats",
  .files = FLOW_FILES(
    MINOR(20), MINOR(19), MINOR(18), MINOR(17), MINOR(16), MINOR(15), MINOR(14), MINOR(13), MINOR(12), MINOR(11),
    MINOR(10), MINOR(9), MINOR(8), MINOR(7), MINOR(6), MINOR(5), MINOR(4), "libnats.so"),
  .package = "libnats3.4 of Debian 12, and libnats3.x of others", .version = "3.4")

const char *flow_nats_load(void) { return flow_load(&loading); }

const char *flow_nats_version(void) { return library.nats_GetVersion(); }
const char *flow_nats_text(int status) { return library.natsStatus_GetText(status); }

/// Entries in order of arrival, in memory that is used again.
struct list {
  flow_nats_entry *entries;
  int count, capacity;
};

struct flow_nats {
  void *connection;
  /// The prefix of subjects for answers, with a dot at its end.
  char inbox[128];
  pthread_mutex_t lock;
  /// There is room in the queue, or the connection is closed.
  pthread_cond_t room;
  /// What has arrived, and what the owner is reading.
  struct list arrived, taken;
  /// The owner, each subscription and the callbacks of the connection hold the object.
  int references;
  bool is_closed;
  /// Whether a wake-up is in the queue.
  bool is_signalled;
  int descriptor;
};

/// A subscription's tag and limit beside its connection.
struct subscription {
  flow_nats *owner;
  int tag, limit;
};

static void clear(struct list *list) {
  for (int i = 0; i < list->count; i++) {
    flow_nats_entry *entry = &list->entries[i];
    if (entry->message) library.natsMsg_Destroy(entry->message);
    else free((void *)entry->data);
  }
  list->count = 0;
}

static void drop(flow_nats *it) {
  pthread_mutex_lock(&it->lock);
  bool is_last = --it->references == 0;
  pthread_mutex_unlock(&it->lock);
  if (!is_last) return;
  clear(&it->arrived);
  clear(&it->taken);
  free(it->arrived.entries);
  free(it->taken.entries);
  if (it->descriptor >= 0) close(it->descriptor);
  pthread_mutex_destroy(&it->lock);
  pthread_cond_destroy(&it->room);
  free(it);
}

/// Waits while the queue has as many entries as the limit.
static void put(flow_nats *it, flow_nats_entry entry, int limit) {
  pthread_mutex_lock(&it->lock);
  struct list *list = &it->arrived;
  while (list->count >= limit && !it->is_closed) pthread_cond_wait(&it->room, &it->lock);
  bool is_first = list->count == 0, is_kept = !it->is_closed;
  if (is_kept && list->count == list->capacity) {
    int capacity = list->capacity ? list->capacity * 2 : 256;
    flow_nats_entry *entries = realloc(list->entries, capacity * sizeof *entries);
    if (entries) list->entries = entries, list->capacity = capacity;
    else is_kept = false;
  }
  if (is_kept) list->entries[list->count++] = entry;
  pthread_mutex_unlock(&it->lock);
  if (!is_kept) {
    if (entry.message) library.natsMsg_Destroy(entry.message);
    else free((void *)entry.data);
  } else if (is_first) {
    uint64_t one = 1;
    (void)!write(it->descriptor, &one, sizeof one);
  }
}

static void signal_arrival(flow_nats *it) {
  pthread_mutex_lock(&it->lock);
  bool is_first = !it->is_signalled;
  it->is_signalled = true;
  pthread_mutex_unlock(&it->lock);
  if (is_first) put(it, (flow_nats_entry){.kind = FLOW_NATS_SIGNAL}, INT_MAX);
}

static void received(void *connection, void *subscription, void *message, void *context) {
  struct subscription *it = context;
  if (!it->limit) {
    library.natsMsg_Destroy(message);
    return signal_arrival(it->owner);
  }
  put(it->owner, (flow_nats_entry){
    .kind = FLOW_NATS_MESSAGE, .tag = it->tag, .subject = library.natsMsg_GetSubject(message),
    .data = library.natsMsg_GetData(message), .length = library.natsMsg_GetDataLength(message), .message = message},
    it->limit);
}

static void completed(void *context) {
  struct subscription *it = context;
  drop(it->owner);
  free(it);
}

static void put_text(flow_nats *it, enum flow_nats_kind kind, int status, const char *text) {
  char *copy = strdup(text ? text : "");
  put(it, (flow_nats_entry){.kind = kind, .tag = status, .data = copy, .length = copy ? (int)strlen(copy) : 0},
    INT_MAX);
}

static void failed(void *connection, void *subscription, int status, void *context) {
  const char *text = 0;
  if (library.natsConnection_GetLastError(connection, &text) != status || !text || !*text) text = flow_nats_text(status);
  put_text(context, FLOW_NATS_ERROR, status, text);
}

static void disconnected(void *connection, void *context) {
  const char *text = 0;
  int status = library.natsConnection_GetLastError(connection, &text);
  put_text(context, FLOW_NATS_DISCONNECTED, status, text && *text ? text : flow_nats_text(status));
}

static void reconnected(void *connection, void *context) { put_text(context, FLOW_NATS_RECONNECTED, 0, 0); }

static void closed(void *connection, void *context) {
  const char *text = 0;
  int status = library.natsConnection_GetLastError(connection, &text);
  put_text(context, FLOW_NATS_CLOSED, status, text && *text ? text : flow_nats_text(status));
  drop(context);
}

/// Applies the settings; a status.
static int configure(void *options, const flow_nats_settings *given, flow_nats *it) {
  int status = library.natsOptions_SetServers(options, given->servers, given->count);
#define SET(call) if (!status) status = library.natsOptions_##call
  if (given->name) SET(SetName)(options, given->name);
  if (given->user) SET(SetUserInfo)(options, given->user, given->password ? given->password : "");
  if (given->token) SET(SetToken)(options, given->token);
  if (given->credentials) SET(SetUserCredentialsFromFiles)(options, given->credentials, 0);
  if (given->key && given->seed) SET(SetNKeyFromSeed)(options, given->key, given->seed);
  if (given->is_secure) SET(SetSecure)(options, true);
  if (given->authorities) SET(LoadCATrustedCertificates)(options, given->authorities);
  if (given->certificate) SET(LoadCertificatesChain)(options, given->certificate, given->certificate_key);
  if (given->skips_verification) SET(SkipServerVerification)(options, true);
  SET(SetTimeout)(options, 5000);
  SET(SetMaxReconnect)(options, -1);
  SET(SetReconnectWait)(options, 500);
  // Nothing is buffered while the connection is lost: the owner sends it again.
  SET(SetReconnectBufSize)(options, 0);
  SET(SetPingInterval)(options, 5000);
  SET(SetMaxPingsOut)(options, 2);
  // A server that stops reading must not block the caller for ever.
  SET(SetWriteDeadline)(options, 5000);
  SET(SetErrorHandler)(options, failed, it);
  SET(SetDisconnectedCB)(options, disconnected, it);
  SET(SetReconnectedCB)(options, reconnected, it);
  SET(SetClosedCB)(options, closed, it);
  return status;
}

int flow_nats_connect(
    flow_nats **connection, const flow_nats_settings *settings, char *failure, size_t size) {
  flow_nats *it = calloc(1, sizeof *it);
  void *options = 0;
  int status = library.natsOptions_Create(&options);
  pthread_mutex_init(&it->lock, 0);
  pthread_cond_init(&it->room, 0);
  it->references = 2;
  it->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!status) status = configure(options, settings, it);
  if (!status) status = library.natsConnection_Connect(&it->connection, options);
  if (status) {
    int last = 0;
    const char *text = library.nats_GetLastError(&last);
    snprintf(failure, size, "%s", text && *text ? text : flow_nats_text(status));
  }
  if (options) library.natsOptions_Destroy(options);
  if (status) {
    drop(it);
    drop(it);
    return status;
  }
  char *inbox = 0;
  if (!library.natsInbox_Create(&inbox)) snprintf(it->inbox, sizeof it->inbox, "%s.", inbox);
  library.natsInbox_Destroy(inbox);
  *connection = it;
  return 0;
}

void flow_nats_close(flow_nats *it) {
  pthread_mutex_lock(&it->lock);
  it->is_closed = true;
  pthread_cond_broadcast(&it->room);
  pthread_mutex_unlock(&it->lock);
  library.natsConnection_Close(it->connection);
  library.natsConnection_Destroy(it->connection);
  drop(it);
}

int flow_nats_descriptor(flow_nats *it) { return it->descriptor; }

int flow_nats_take(flow_nats *it, const flow_nats_entry **entries) {
  clear(&it->taken);
  uint64_t count;
  (void)!read(it->descriptor, &count, sizeof count);
  pthread_mutex_lock(&it->lock);
  struct list empty = it->taken;
  it->taken = it->arrived;
  it->arrived = empty;
  it->is_signalled = false;
  pthread_cond_broadcast(&it->room);
  pthread_mutex_unlock(&it->lock);
  *entries = it->taken.entries;
  return it->taken.count;
}

int flow_nats_subscribe(flow_nats *it, const char *subject, int tag, int limit) {
  struct subscription *context = malloc(sizeof *context);
  if (!context) return -1;
  *context = (struct subscription){it, tag, limit};
  void *subscription = 0;
  pthread_mutex_lock(&it->lock);
  it->references++;
  pthread_mutex_unlock(&it->lock);
  int status = library.natsConnection_Subscribe(&subscription, it->connection, subject, received, context);
  if (status) {
    completed(context);
    return status;
  }
  // Should it not be set, the two stay allocated, which is harmless.
  library.natsSubscription_SetOnCompleteCB(subscription, completed, context);
  library.natsSubscription_SetPendingLimits(subscription, limit ? limit : -1, -1);
  return 0;
}

/// Writes the decimal digits of a number, and a null byte.
static void put_number(char *text, uint64_t number) {
  char digits[24];
  int count = 0;
  do digits[count++] = '0' + number % 10;
  while (number /= 10);
  while (count) *text++ = digits[--count];
  *text = 0;
}

const char *flow_nats_inbox(flow_nats *it) { return it->inbox; }

int flow_nats_publish_stored(
    flow_nats *it, const char *subject, uint64_t number, const char *id, const char *headers, int count,
    const void *data, int length) {
  char reply[sizeof it->inbox + 24];
  size_t prefix = strlen(it->inbox);
  memcpy(reply, it->inbox, prefix);
  put_number(reply + prefix, number);
  return flow_nats_publish(it, subject, reply, id, headers, count, data, length);
}

int flow_nats_publish(
    flow_nats *it, const char *subject, const char *reply, const char *id, const char *headers, int count,
    const void *data, int length) {
  void *message = 0;
  int status = library.natsMsg_Create(&message, subject, reply, data, length);
  if (!status && id) status = library.natsMsgHeader_Set(message, "Nats-Msg-Id", id);
  for (; !status && count; count--) {
    const char *value = headers + strlen(headers) + 1;
    status = library.natsMsgHeader_Set(message, headers, value);
    headers = value + strlen(value) + 1;
  }
  if (!status) status = library.natsConnection_PublishMsg(it->connection, message);
  if (message) library.natsMsg_Destroy(message);
  return status;
}

int flow_nats_flush(flow_nats *it, int64_t milliseconds) {
  return library.natsConnection_FlushTimeout(it->connection, milliseconds);
}

int64_t flow_nats_max_payload(flow_nats *it) { return library.natsConnection_GetMaxPayload(it->connection); }

const char *flow_nats_header(const flow_nats_entry *entry, const char *name) {
  const char *value = 0;
  return library.natsMsgHeader_Get(entry->message, name, &value) ? 0 : value;
}

void flow_nats_headers(
    const flow_nats_entry *entry, void (*each)(void *, const char *, const char *), void *context) {
  const char **names = 0;
  int count = 0;
  if (library.natsMsgHeader_Keys(entry->message, &names, &count)) return;
  for (int i = 0; i < count; i++) {
    const char *value = flow_nats_header(entry, names[i]);
    if (value) each(context, names[i], value);
  }
  free(names);
}

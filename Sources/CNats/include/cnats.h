// libnats, loaded when a pipeline first connects to a NATS server and not with the program; none of its headers is
// needed to build. Its soname changes with every minor version, so the loader tries all of 3.4 and later.
//
// A connection has one queue. Everything that libnats reports on its own threads, messages as well as changes of the
// connection, goes into it in order of arrival, until the owner takes it.

#ifndef FLOW_NATS_H
#define FLOW_NATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads libnats, once; null, or a sentence that says why it cannot be loaded.
const char *flow_nats_load(void);
/// The version of libnats.
const char *flow_nats_version(void);

/// A connection.
typedef struct flow_nats flow_nats;

/// How to connect; what is null is not set.
typedef struct flow_nats_settings {
  const char *const *servers;
  int count;
  const char *name;
  const char *user, *password, *token;
  /// A file with a JWT and a seed.
  const char *credentials;
  /// A public key, and the file with its seed.
  const char *key, *seed;
  bool is_secure, skips_verification;
  const char *authorities, *certificate, *certificate_key;
} flow_nats_settings;

/// The kinds of entries in the queue.
enum flow_nats_kind {
  FLOW_NATS_MESSAGE,
  /// Messages have arrived of a subscription without a limit, which are dropped.
  FLOW_NATS_SIGNAL,
  /// The connection is lost; libnats tries to get it back.
  FLOW_NATS_DISCONNECTED,
  FLOW_NATS_RECONNECTED,
  /// The connection is lost for good.
  FLOW_NATS_CLOSED,
  /// An error beside all this, such as a missing permission; `data` is its text.
  FLOW_NATS_ERROR,
};

/// Statuses of libnats, the same in all of its versions.
enum flow_nats_status {
  FLOW_NATS_OK = 0,
  FLOW_NATS_IO_ERROR = 3,
  FLOW_NATS_CONNECTION_CLOSED = 5,
  FLOW_NATS_NO_SERVER = 6,
  FLOW_NATS_SECURE_CONNECTION_WANTED = 8,
  FLOW_NATS_SECURE_CONNECTION_REQUIRED = 9,
  FLOW_NATS_LOGIN_REJECTED = 11,
  FLOW_NATS_SLOW_CONSUMER = 20,
  FLOW_NATS_TOO_LARGE = 21,
  FLOW_NATS_TIMEOUT = 26,
  FLOW_NATS_TLS_FAILED = 29,
};

/// An entry of the queue; it and all it points to are valid until entries are taken again.
typedef struct flow_nats_entry {
  enum flow_nats_kind kind;
  /// The tag of the message's subscription; the status of an error.
  int tag;
  const char *subject;
  const char *data;
  int length;
  void *message;
} flow_nats_entry;

/// Connects, and returns a status; `failure` gets a text unless it is 0.
int flow_nats_connect(
    flow_nats **connection, const flow_nats_settings *settings, char *failure, size_t size);
/// Closes the connection and frees what was taken.
void flow_nats_close(flow_nats *connection);

/// Becomes readable when there are entries.
int flow_nats_descriptor(flow_nats *connection);
/// All entries since the last call; frees those of the call before.
int flow_nats_take(flow_nats *connection, const flow_nats_entry **entries);

/// Subscribes to a subject until the connection is closed. At most `limit` messages wait in the queue and as many in
/// libnats; further ones are dropped, which is reported as an error. With the limit 0, messages are dropped, and the
/// queue has one signal for all of them.
int flow_nats_subscribe(flow_nats *connection, const char *subject, int tag, int limit);

/// The prefix of subjects for answers, unique to the connection, with a dot at its end.
const char *flow_nats_inbox(flow_nats *connection);

/// Publishes a message with a subject for the answer, or null, and an id by which a stream detects repeats, or null.
/// The headers are names and values in turn, `count` pairs, each with its null byte.
int flow_nats_publish(
    flow_nats *connection, const char *subject, const char *reply, const char *id, const char *headers, int count,
    const void *data, int length);
/// The same with an answer that is sent to the number behind the inbox.
int flow_nats_publish_stored(
    flow_nats *connection, const char *subject, uint64_t number, const char *id, const char *headers, int count,
    const void *data, int length);
/// Waits until the server has everything that was published.
int flow_nats_flush(flow_nats *connection, int64_t milliseconds);

/// The text of a status.
const char *flow_nats_text(int status);
/// The largest message that the server accepts.
int64_t flow_nats_max_payload(flow_nats *connection);
/// A header of a message; null if it has none of that name.
const char *flow_nats_header(const flow_nats_entry *entry, const char *name);
/// Calls a function with each header's name and value.
void flow_nats_headers(
    const flow_nats_entry *entry, void (*each)(void *context, const char *name, const char *value), void *context);

#endif

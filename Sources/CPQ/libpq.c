#include "cpq.h"

#include <cloading.h>
#include <poll.h>

#define FUNCTIONS(each)                                                                                         \
  FLOW_PQ_FUNCTIONS(each)                                                                                       \
  each(PGconn *, PQconnectStartParams, (const char *const *, const char *const *, int))                         \
  each(int, PQsetErrorVerbosity, (PGconn *, int))                                                               \
  each(flow_pq_notice, PQsetNoticeProcessor, (PGconn *, flow_pq_notice, void *))

// The number of its interface has not changed since 2006.
FLOW_LIBRARY(FUNCTIONS, .name = "libpq", .files = FLOW_FILES("libpq.so.5"), .package = "libpq5")

const char *flow_pq_load(void) { return flow_load(&loading); }

#define CALL(result, name, parameters, arguments) \
  result flow_##name parameters { return library.name arguments; }
FLOW_PQ_FUNCTIONS(CALL)

PGconn *flow_pq_connect(const char *url, flow_pq_notice noted, void *context) {
  // What is before the address may be set otherwise in it: a server that is gone without a word is noticed in a minute.
  const char *const names[] = {"keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
                               "fallback_application_name", "dbname", "client_encoding", 0};
  const char *const values[] = {"30", "10", "3", "60000", "flow", url, "UTF8", 0};
  PGconn *connection = library.PQconnectStartParams(names, values, 1);
  // With the code of an error, which is the only way to know that of a failed login.
  if (connection) {
    library.PQsetErrorVerbosity(connection, 2);
    library.PQsetNoticeProcessor(connection, noted, context);
  }
  return connection;
}

bool flow_pq_wait(const PGconn *connection, bool forWriting, int descriptor, int milliseconds) {
  struct pollfd entries[] = {
    {.fd = library.PQsocket(connection), .events = forWriting ? POLLIN | POLLOUT : POLLIN},
    {.fd = descriptor, .events = POLLIN}};
  return poll(entries, 2, milliseconds) != 0;
}

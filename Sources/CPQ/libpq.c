#include "cpq.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#define MEMBER(result, name, parameters, arguments) result(*name) parameters;
static struct {
  FLOW_PQ_FUNCTIONS(MEMBER)
  PGconn *(*PQconnectStartParams)(const char *const *, const char *const *, int);
  int (*PQsetErrorVerbosity)(PGconn *, int);
  flow_pq_notice (*PQsetNoticeProcessor)(PGconn *, flow_pq_notice, void *);
} library;

static char failure[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  // The number of its interface, which has not changed since 2006.
  void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(failure, sizeof failure, "libpq cannot be loaded: %s; it is in the package libpq5", dlerror());
    return;
  }
#define FIND(result, name, parameters, arguments)                              \
  if (!(*(void **)&library.name = dlsym(handle, #name))) {                     \
    snprintf(failure, sizeof failure, "libpq is too old: it has no %s", #name); \
    return;                                                                    \
  }
  FLOW_PQ_FUNCTIONS(FIND)
  FIND(, PQconnectStartParams, , )
  FIND(, PQsetErrorVerbosity, , )
  FIND(, PQsetNoticeProcessor, , )
}

const char *flow_pq_load(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : 0;
}

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

#ifndef CPQ_H
#define CPQ_H

// libpq, loaded when a function is first needed, and what is declared of it: names, numbers and types are its own.

#include <stdbool.h>
#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

enum { FLOW_PQ_CONNECTED = 0, FLOW_PQ_FAILED = 1 };
enum { FLOW_PQ_READING = 1, FLOW_PQ_WRITING = 2, FLOW_PQ_READY = 3 };
enum { FLOW_PQ_COMMAND = 1, FLOW_PQ_TUPLES = 2, FLOW_PQ_SINGLE = 9 };

// Each function: result, name, parameters, arguments.
#define FLOW_PQ_FUNCTIONS(each)                                                                                       \
  each(int, PQconnectPoll, (PGconn *c), (c)) each(int, PQstatus, (const PGconn *c), (c))                             \
  each(int, PQsocket, (const PGconn *c), (c)) each(void, PQfinish, (PGconn *c), (c))                                  \
  each(char *, PQerrorMessage, (const PGconn *c), (c)) each(int, PQserverVersion, (const PGconn *c), (c))             \
  each(int, PQsetnonblocking, (PGconn *c, int on), (c, on)) each(int, PQflush, (PGconn *c), (c))                      \
  each(int, PQconsumeInput, (PGconn *c), (c)) each(int, PQisBusy, (PGconn *c), (c))                                   \
  each(int, PQsetSingleRowMode, (PGconn *c), (c)) each(PGresult *, PQgetResult, (PGconn *c), (c))                     \
  each(int, PQsendQuery, (PGconn *c, const char *sql), (c, sql))                                                      \
  each(int, PQsendPrepare, (PGconn *c, const char *name, const char *sql, int n, const unsigned *types),              \
       (c, name, sql, n, types))                                                                                      \
  each(int, PQsendDescribePrepared, (PGconn *c, const char *name), (c, name))                                         \
  each(int, PQsendQueryParams, (PGconn *c, const char *sql, int n, const unsigned *types, const char *const *values,  \
       const int *lengths, const int *formats, int format), (c, sql, n, types, values, lengths, formats, format))     \
  each(int, PQsendQueryPrepared, (PGconn *c, const char *name, int n, const char *const *values, const int *lengths,  \
       const int *formats, int format), (c, name, n, values, lengths, formats, format))                               \
  each(int, PQresultStatus, (const PGresult *r), (r)) each(void, PQclear, (PGresult *r), (r))                         \
  each(char *, PQresultErrorMessage, (const PGresult *r), (r))                                                        \
  each(char *, PQresultErrorField, (const PGresult *r, int code), (r, code))                                          \
  each(int, PQntuples, (const PGresult *r), (r)) each(int, PQnfields, (const PGresult *r), (r))                       \
  each(char *, PQfname, (const PGresult *r, int column), (r, column))                                                 \
  each(unsigned, PQftype, (const PGresult *r, int column), (r, column))                                               \
  each(int, PQnparams, (const PGresult *r), (r)) each(unsigned, PQparamtype, (const PGresult *r, int n), (r, n))      \
  each(char *, PQgetvalue, (const PGresult *r, int row, int column), (r, row, column))                                \
  each(void *, PQnotifies, (PGconn *c), (c)) each(void, PQfreemem, (void *p), (p))                                    \
  each(int, PQgetlength, (const PGresult *r, int row, int column), (r, row, column))                                  \
  each(int, PQgetisnull, (const PGresult *r, int row, int column), (r, row, column))

#define FLOW_PQ_DECLARE(result, name, parameters, arguments) result flow_##name parameters;
FLOW_PQ_FUNCTIONS(FLOW_PQ_DECLARE)

/// Loads libpq; a sentence where that is not possible, else null. The other functions may be called only after that.
const char *flow_pq_load(void);

/// Called with the text of a notice, and what was given with it.
typedef void (*flow_pq_notice)(void *context, const char *text);

/// Begins to connect to an address; null if there is no memory.
PGconn *flow_pq_connect(const char *url, flow_pq_notice noted, void *context);

/// Waits at most so long for the socket, or for a descriptor that ends the wait; false after that time.
bool flow_pq_wait(const PGconn *connection, bool forWriting, int descriptor, int milliseconds);

#endif

// libmicrohttpd, loaded when it is first asked for and not with the program: only one command serves anything.
//
// Its functions by names of ours, those with any number of arguments once a use.

#ifndef FLOW_MICROHTTPD_H
#define FLOW_MICROHTTPD_H

#include <microhttpd.h>
#include <stdbool.h>

/// Loads libmicrohttpd, once; null, or a sentence that says why it cannot be had.
const char *flow_mhd_load(void);

/// Serves a listening socket, a thread for each connection; the socket is the server's from then on. Null where it
/// cannot be.
struct MHD_Daemon *flow_mhd_start(
    int listener, unsigned connections, unsigned seconds, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected, void *context);
/// Serves a listening socket on one thread with epoll; `memory` is the limit for each connection, headers included.
struct MHD_Daemon *flow_mhd_start_polling(
    int listener, unsigned connections, unsigned seconds, size_t memory, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected, void *context);
/// Suspends a connection until it is resumed; neither it nor its client is looked at meanwhile.
void flow_mhd_suspend(struct MHD_Connection *connection);
/// Resumes a connection; from any thread.
void flow_mhd_resume(struct MHD_Connection *connection);
/// Waits for what is under way. No connection may be suspended.
void flow_mhd_stop(struct MHD_Daemon *server);

/// The address of a client, as text.
void flow_mhd_client(struct MHD_Connection *connection, char *text, unsigned size);
/// Whether a connection has begun, rather than ended.
static inline bool flow_mhd_has_begun(enum MHD_ConnectionNotificationCode what) {
  return what == MHD_CONNECTION_NOTIFY_STARTED;
}
/// The socket of a connection; -1 if it is unknown.
int flow_mhd_descriptor(struct MHD_Connection *connection);
/// Closing the connection is to look as if the server had crashed.
void flow_mhd_make_reset(struct MHD_Connection *connection);
/// Each parameter of the query, or each header.
int flow_mhd_values(
    struct MHD_Connection *connection, bool of_query, MHD_KeyValueIterator each, void *context);

/// A response of bytes, which are copied.
struct MHD_Response *flow_mhd_response(const void *bytes, size_t size);
/// A response whose bytes come from a function, piece by piece.
struct MHD_Response *flow_mhd_response_in_pieces(
    uint64_t size, size_t piece, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release);
/// A response without an end, whose bytes come from a function.
struct MHD_Response *flow_mhd_endless_response(
    size_t piece, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release);
void flow_mhd_add_header(struct MHD_Response *response, const char *name, const char *value);
/// Sends a response and lets go of it.
enum MHD_Result flow_mhd_send(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

#endif

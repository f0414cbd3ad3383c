#include "cmicrohttpd.h"

#include <cloading.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>

// What is used of libmicrohttpd, by the names it has there.
#define FUNCTIONS(each) \
  each(start_daemon) each(stop_daemon) each(get_connection_info) each(get_connection_values) \
  each(create_response_from_buffer) each(create_response_from_callback) each(add_response_header) \
  each(queue_response) each(destroy_response) each(suspend_connection) each(resume_connection)

#define MEMBER(name) __typeof__(&MHD_##name) name;
#define PLACE(name) {#name, &library.name},
static struct { FUNCTIONS(MEMBER) } library;
static const struct flow_function functions[] = {FUNCTIONS(PLACE){0, 0}};

static struct flow_library loading = {
  .name = "libmicrohttpd", .files = FLOW_FILES("libmicrohttpd.so.12"), .package = "libmicrohttpd12",
  .version = "0.9.71", .prefix = "MHD_", .functions = functions};

const char *flow_mhd_load(void) { return flow_load(&loading); }

static int digit(char sign) {
  if (sign >= '0' && sign <= '9') return sign - '0';
  sign |= 0x20;
  return sign >= 'a' && sign <= 'f' ? sign - 'a' + 10 : -1;
}

// Decodes percent signs but for %00, which would end the text.
static size_t unescape(void *context, struct MHD_Connection *connection, char *text) {
  (void)context, (void)connection;
  char *to = text;
  for (const char *from = text; *from;) {
    int high = *from == '%' ? digit(from[1]) : -1, low = high < 0 ? -1 : digit(from[2]);
    if (low >= 0 && (high | low)) {
      *to++ = (char)(high << 4 | low);
      from += 3;
    } else {
      *to++ = *from++;
    }
  }
  *to = 0;
  return (size_t)(to - text);
}

struct MHD_Daemon *flow_mhd_start(
    int listener, unsigned connections, unsigned seconds, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected, void *context) {
  return library.start_daemon(
    // poll(2), since select(2) refuses descriptors from 1024 on.
    MHD_USE_POLL | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC, 0, NULL, NULL, answer, context,
    MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener, MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
    MHD_OPTION_NOTIFY_CONNECTION, connected, context, MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_END);
}

struct MHD_Daemon *flow_mhd_start_polling(
    int listener, unsigned connections, unsigned seconds, size_t memory, MHD_AccessHandlerCallback answer,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected, void *context) {
  return library.start_daemon(
    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, answer, context,
    MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener, MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
    MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, connected, context,
    MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_END);
}

void flow_mhd_suspend(struct MHD_Connection *connection) { library.suspend_connection(connection); }

void flow_mhd_resume(struct MHD_Connection *connection) { library.resume_connection(connection); }

void flow_mhd_stop(struct MHD_Daemon *server) { library.stop_daemon(server); }

void flow_mhd_client(struct MHD_Connection *connection, char *text, unsigned size) {
  snprintf(text, size, "127.0.0.1");
  const union MHD_ConnectionInfo *info =
    library.get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info || !info->client_addr || info->client_addr->sa_family != AF_INET) return;
  inet_ntop(AF_INET, &((const struct sockaddr_in *)info->client_addr)->sin_addr, text, size);
}

int flow_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    library.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

void flow_mhd_make_reset(struct MHD_Connection *connection) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(flow_mhd_descriptor(connection), SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

int flow_mhd_values(
    struct MHD_Connection *connection, bool of_query, MHD_KeyValueIterator each, void *context) {
  return library.get_connection_values(
    connection, of_query ? MHD_GET_ARGUMENT_KIND : MHD_HEADER_KIND, each, context);
}

struct MHD_Response *flow_mhd_response(const void *bytes, size_t size) {
  return library.create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *flow_mhd_response_in_pieces(
    uint64_t size, size_t piece, MHD_ContentReaderCallback read, void *context,
    MHD_ContentReaderFreeCallback release) {
  return library.create_response_from_callback(size, piece, read, context, release);
}

struct MHD_Response *flow_mhd_endless_response(
    size_t piece, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
  return library.create_response_from_callback(MHD_SIZE_UNKNOWN, piece, read, context, release);
}

void flow_mhd_add_header(struct MHD_Response *response, const char *name, const char *value) {
  library.add_response_header(response, name, value);
}

enum MHD_Result flow_mhd_send(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
  enum MHD_Result result = library.queue_response(connection, status, response);
  library.destroy_response(response);
  return result;
}

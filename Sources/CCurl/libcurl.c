#include "ccurl.h"

#include <cloading.h>


// What is used of libcurl, by the names it has there.
#define FUNCTIONS(each) \
  each(global_init) each(version) each(easy_init) each(easy_cleanup) each(easy_strerror) each(easy_setopt) \
  each(easy_getinfo) each(easy_pause) each(slist_append) each(slist_free_all) each(multi_init) each(multi_cleanup) \
  each(multi_setopt) each(multi_add_handle) each(multi_remove_handle) each(multi_perform) each(multi_poll) \
  each(multi_wakeup) each(multi_strerror) each(multi_info_read) each(easy_send) each(easy_recv)

#define MEMBER(name) __typeof__(&curl_##name) name;
#define PLACE(name) {#name, &library.name},
static struct { FUNCTIONS(MEMBER) } library;
static const struct flow_function functions[] = {FUNCTIONS(PLACE){0, 0}};

// The number of its interface has not changed since 2006.
static struct flow_library loading = {
  .name = "libcurl", .files = FLOW_FILES("libcurl.so.4"), .package = "libcurl4", .version = "7.87", .prefix = "curl_",
  .functions = functions};

const char *flow_curl_load(void) { return flow_load(&loading); }

CURLcode flow_curl_global_init(long flags) { return library.global_init(flags); }
const char *flow_curl_version(void) { return library.version(); }

CURL *flow_curl_easy_init(void) { return library.easy_init(); }
void flow_curl_easy_cleanup(CURL *easy) { library.easy_cleanup(easy); }
const char *flow_curl_easy_strerror(CURLcode code) { return library.easy_strerror(code); }

CURLcode flow_curl_set_number(CURL *easy, CURLoption option, long value) {
  return library.easy_setopt(easy, option, value);
}
CURLcode flow_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return library.easy_setopt(easy, option, value);
}
CURLcode flow_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return library.easy_setopt(easy, option, value);
}
CURLcode flow_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return library.easy_setopt(easy, option, value);
}
CURLcode flow_curl_set_list(CURL *easy, struct curl_slist *headers) {
  return library.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}
CURLcode flow_curl_set_receiver(CURL *easy, CURLoption option, curl_write_callback value) {
  return library.easy_setopt(easy, option, value);
}

long flow_curl_number(CURL *easy, CURLINFO info) {
  long value = 0;
  return library.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}
curl_off_t flow_curl_size(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return library.easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_socket_t flow_curl_socket(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  return library.easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}
CURLcode flow_curl_send(CURL *easy, const void *bytes, size_t count, size_t *sent) {
  return library.easy_send(easy, bytes, count, sent);
}
CURLcode flow_curl_receive(CURL *easy, void *bytes, size_t count, size_t *received) {
  return library.easy_recv(easy, bytes, count, received);
}

CURLcode flow_curl_continue(CURL *easy) { return library.easy_pause(easy, CURLPAUSE_CONT); }

struct curl_slist *flow_curl_slist_append(struct curl_slist *list, const char *text) {
  return library.slist_append(list, text);
}
void flow_curl_slist_free_all(struct curl_slist *list) { library.slist_free_all(list); }

CURLM *flow_curl_multi_init(void) { return library.multi_init(); }
CURLMcode flow_curl_multi_cleanup(CURLM *multi) { return library.multi_cleanup(multi); }
CURLMcode flow_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return library.multi_setopt(multi, option, value);
}
CURLMcode flow_curl_multi_add_handle(CURLM *multi, CURL *easy) { return library.multi_add_handle(multi, easy); }
CURLMcode flow_curl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return library.multi_remove_handle(multi, easy);
}
CURLMcode flow_curl_multi_perform(CURLM *multi, int *running) { return library.multi_perform(multi, running); }
CURLMcode flow_curl_multi_poll(CURLM *multi, int milliseconds) {
  return library.multi_poll(multi, 0, 0, milliseconds, 0);
}
CURLMcode flow_curl_multi_wakeup(CURLM *multi) { return library.multi_wakeup(multi); }
const char *flow_curl_multi_strerror(CURLMcode code) { return library.multi_strerror(code); }

CURL *flow_curl_next_ended(CURLM *multi, CURLcode *code) {
  int rest = 0;
  struct CURLMsg *message;
  while ((message = library.multi_info_read(multi, &rest))) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = message->data.result;
    return message->easy_handle;
  }
  return 0;
}

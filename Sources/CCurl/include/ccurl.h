// libcurl, loaded when it is first asked for and not with the program: with it come some forty libraries, which cost
// every start ten milliseconds and ten megabytes, and most pipelines fetch nothing.
//
// Its functions by names of ours, those with any number of arguments once a type of argument.

#ifndef FLOW_CURL_H
#define FLOW_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/// Loads libcurl, once; null, or a sentence that says why it cannot be had.
const char *flow_curl_load(void);

CURLcode flow_curl_global_init(long flags);
const char *flow_curl_version(void);

CURL *flow_curl_easy_init(void);
void flow_curl_easy_cleanup(CURL *easy);
const char *flow_curl_easy_strerror(CURLcode code);

CURLcode flow_curl_set_number(CURL *easy, CURLoption option, long value);
CURLcode flow_curl_set_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode flow_curl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode flow_curl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode flow_curl_set_list(CURL *easy, struct curl_slist *headers);
/// A function that gets bytes; `option` is `CURLOPT_WRITEFUNCTION` or `CURLOPT_HEADERFUNCTION`.
CURLcode flow_curl_set_receiver(CURL *easy, CURLoption option, curl_write_callback value);

/// What libcurl knows as a `long` of a transfer; 0 where it does not.
long flow_curl_number(CURL *easy, CURLINFO info);
/// A time or a size of a transfer; 0 where libcurl does not know it.
curl_off_t flow_curl_size(CURL *easy, CURLINFO info);

/// The socket of a connection for bytes; -1 where there is none.
curl_socket_t flow_curl_socket(CURL *easy);
/// Sends some of the bytes; `CURLE_AGAIN` where there is no room for any.
CURLcode flow_curl_send(CURL *easy, const void *bytes, size_t count, size_t *sent);
/// Receives some bytes, none at the end; `CURLE_AGAIN` where there are none yet.
CURLcode flow_curl_receive(CURL *easy, void *bytes, size_t count, size_t *received);

/// Goes on with a transfer whose receiver has paused it.
CURLcode flow_curl_continue(CURL *easy);

struct curl_slist *flow_curl_slist_append(struct curl_slist *list, const char *text);
void flow_curl_slist_free_all(struct curl_slist *list);

CURLM *flow_curl_multi_init(void);
CURLMcode flow_curl_multi_cleanup(CURLM *multi);
CURLMcode flow_curl_multi_set_number(CURLM *multi, CURLMoption option, long value);
CURLMcode flow_curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode flow_curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode flow_curl_multi_perform(CURLM *multi, int *running);
CURLMcode flow_curl_multi_poll(CURLM *multi, int milliseconds);
CURLMcode flow_curl_multi_wakeup(CURLM *multi);
const char *flow_curl_multi_strerror(CURLMcode code);
/// The next transfer that has ended, and how; null when there is no more.
CURL *flow_curl_next_ended(CURLM *multi, CURLcode *code);

#endif

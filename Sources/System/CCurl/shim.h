// SPDX-License-Identifier: Apache-2.0
// The parts of libcurl that Swift cannot import: variadic setters and getters, a union, a socket address. Options of OpenSSL
// that libcurl does not have, and the processor time of the thread that calls it.

#ifndef DARKROOM_CCURL_H
#define DARKROOM_CCURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef size_t (*dr_curl_bytes)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*dr_curl_dial)(void *context, curlsocktype, struct curl_sockaddr *);
typedef int (*dr_curl_before)(void *context, char *remote, char *local, int, int);
typedef int (*dr_curl_lookup_start)(void *resolver, void *reserved, void *context);
typedef int (*dr_curl_seek)(void *context, curl_off_t offset, int origin);
typedef int (*dr_curl_watch)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline CURLcode dr_curl_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode dr_curl_size(CURL *handle, CURLoption option, int64_t value) {
  return curl_easy_setopt(handle, option, (curl_off_t)value);
}

static inline CURLcode dr_curl_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode dr_curl_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
  return curl_easy_setopt(handle, option, &blob);
}

// NULL: libcurl parses CURLOPT_URL itself. The place must not change before the request is over.
static inline CURLcode dr_curl_place(CURL *handle, CURLU *place) {
  return curl_easy_setopt(handle, CURLOPT_CURLU, place);
}

// The list must outlive the handle's requests.
static inline CURLcode dr_curl_list(CURL *handle, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(handle, option, list);
}

// libcurl writes its words about a failed request here: CURL_ERROR_SIZE bytes, which must outlive the handle.
static inline void dr_curl_words(CURL *handle, char *words) {
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words);
}

// A server may send records without end that carry no data, such as tickets: each call of OpenSSL reads one, so that
// libcurl's limits of time hold. It cannot ask for another handshake on a connection, and chooses no numbers of 10,000
// bits for one, as DHE would let it: they take this side most of a second.
static inline CURLcode dr_curl_harden(CURL *handle, void *tls, void *through) {
  (void)handle;
  if (!through) SSL_CTX_clear_mode((SSL_CTX *)tls, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_options((SSL_CTX *)tls, SSL_OP_NO_RENEGOTIATION);
  // The ciphers that this machine allows, but for DHE.
  char list[8192] = "";
  size_t length = 0;
  STACK_OF(SSL_CIPHER) *ciphers = SSL_CTX_get_ciphers((SSL_CTX *)tls);
  for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); i++) {
    const SSL_CIPHER *cipher = sk_SSL_CIPHER_value(ciphers, i);
    const char *name = SSL_CIPHER_get_name(cipher);
    if (SSL_CIPHER_get_kx_nid(cipher) == NID_kx_dhe || SSL_CIPHER_get_kx_nid(cipher) == NID_kx_any) continue;
    if (length + strlen(name) + 2 > sizeof list) break;
    length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? ":" : "", name);
  }
#if OPENSSL_VERSION_NUMBER < 0x30500000L
  // The groups of this version, but for the large ones of DHE; a machine that allows none of them keeps its own.
  if (!SSL_CTX_set1_groups_list((SSL_CTX *)tls, "X25519:P-256:X448:P-521:P-384")) ERR_clear_error();
#endif
  return !length || SSL_CTX_set_cipher_list((SSL_CTX *)tls, list) ? CURLE_OK : CURLE_SSL_CIPHER;
}

// For all connections of a handle, those to a proxy included.
static inline CURLcode dr_curl_tls(CURL *handle) {
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, dr_curl_harden);
}

// `through` is not null if TLS runs within the TLS of a proxy: libcurl does not look for what the outer one has read already,
// and would wait for bytes that are there.
static inline CURLcode dr_curl_tls_through(CURL *handle, void *through) {
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, through);
}

// In nanoseconds.
static inline int64_t dr_curl_worked(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Sets libcurl's callbacks, for all requests of a handle.
static inline void dr_curl_calls(CURL *handle, dr_curl_bytes body, dr_curl_bytes header,
                                 dr_curl_dial dial, dr_curl_before before) {
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, dial);
  curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before);
}

static inline void dr_curl_lookup(CURL *handle, dr_curl_lookup_start start) {
  curl_easy_setopt(handle, CURLOPT_RESOLVER_START_FUNCTION, start);
}

// Sets the callbacks' context, for the next request.
static inline void dr_curl_context(CURL *handle, void *context) {
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
  curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
  curl_easy_setopt(handle, CURLOPT_RESOLVER_START_DATA, context);
  curl_easy_setopt(handle, CURLOPT_PRIVATE, context);
}

// Sets the callbacks of one request that blocks its thread, and their context. `watch` is called at least once a second.
static inline void dr_curl_exchange(CURL *handle, dr_curl_bytes body, dr_curl_bytes source,
                                    dr_curl_seek seek, dr_curl_watch watch, void *context) {
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(handle, CURLOPT_READFUNCTION, source);
  curl_easy_setopt(handle, CURLOPT_READDATA, context);
  curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
  curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, watch);
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

static inline long dr_curl_info_number(CURL *handle, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

static inline int64_t dr_curl_info_size(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

// Valid until the handle's next request; NULL if there is none.
static inline const char *dr_curl_info_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  curl_easy_getinfo(handle, info, &value);
  return value;
}

// The header of that name and index (from 0) in the last answer; NULL if there is none.
static inline const char *dr_curl_header_at(CURL *handle, const char *name, size_t place) {
  struct curl_header *header = NULL;
  if (curl_easy_header(handle, name, place, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  return header->value;
}

// The same of the proxy's answer to CONNECT, which no host can write.
static inline const char *dr_curl_proxy_header_at(CURL *handle, const char *name, size_t place) {
  struct curl_header *header = NULL;
  if (curl_easy_header(handle, name, place, CURLH_CONNECT, -1, &header) != CURLHE_OK) return NULL;
  return header->value;
}

// The last header of that name in the last answer; NULL if there is none.
static inline const char *dr_curl_header(CURL *handle, const char *name) {
  struct curl_header *header = NULL;
  size_t last = 0;
  if (curl_easy_header(handle, name, last, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  last = header->amount - 1;
  if (curl_easy_header(handle, name, last, CURLH_HEADER, -1, &header) != CURLHE_OK) return NULL;
  return header->value;
}

static inline CURLMcode dr_multi_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// The context and result of the next finished transfer; NULL if there is no other.
static inline void *dr_multi_done(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left))) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    char *context = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
    return context;
  }
  return NULL;
}

// Sleeps until libcurl has work (`due` is set) or `wake` is readable (`rung` is set).
static inline CURLMcode dr_multi_wait(CURLM *multi, int wake, int milliseconds, int *rung, int *due) {
  struct curl_waitfd watch = {.fd = wake, .events = CURL_WAIT_POLLIN};
  int ready = 0;
  CURLMcode result = curl_multi_poll(multi, &watch, 1, milliseconds, &ready);
  *rung = watch.revents != 0;
  // Nothing ready: one of libcurl's timers is due. If it came together with `wake`, the next wait returns at
  // once and reports it.
  *due = ready != (*rung ? 1 : 0) || !*rung;
  return result;
}

// Copies the 4 or 16 bytes of an IP address in network order and returns their number; 0 for other kinds.
static inline int dr_curl_address(const struct curl_sockaddr *address, uint8_t out[16]) {
  if (address->family == AF_INET) {
    memcpy(out, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6) {
    memcpy(out, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16);
    return 16;
  }
  return 0;
}

#endif

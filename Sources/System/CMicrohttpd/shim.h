// SPDX-License-Identifier: Apache-2.0
// The parts of libmicrohttpd that Swift cannot import: the variadic start, and constants behind casts.

#ifndef DARKROOM_CMICROHTTPD_H
#define DARKROOM_CMICROHTTPD_H

#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

typedef void *(*dr_web_target)(void *context, const char *target, struct MHD_Connection *connection);

struct dr_web_calls {
  dr_web_target began;
  MHD_AccessHandlerCallback step;
  MHD_RequestCompletedCallback ended;
  MHD_NotifyConnectionCallback counted;
};

struct dr_web_limits {
  uint32_t connections, seconds, head;
};

// Targets stay as they were sent: their reader decodes what may be encoded.
static inline size_t dr_web_undecoded(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

// The end of a target; NULL for none.
static inline const char *dr_web_end(const char *target) {
  return target ? target + strlen(target) : NULL;
}

// Serves the listening socket until the process ends: 0, or a negated error number.
static inline int dr_web_start(int listener, const struct dr_web_calls *calls,
                               const struct dr_web_limits *limits, void *context) {
  errno = 0;
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC, 0,
      NULL, NULL, calls->step, context, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener,
      MHD_OPTION_URI_LOG_CALLBACK, calls->began, context, MHD_OPTION_NOTIFY_COMPLETED, calls->ended,
      context, MHD_OPTION_NOTIFY_CONNECTION, calls->counted, context, MHD_OPTION_UNESCAPE_CALLBACK,
      &dr_web_undecoded, NULL, MHD_OPTION_CONNECTION_LIMIT, limits->connections,
      MHD_OPTION_CONNECTION_TIMEOUT, limits->seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)limits->head, MHD_OPTION_THREAD_STACK_SIZE, (size_t)(512 * 1024),
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
  if (daemon) return 0;
  return errno ? -errno : -EIO;
}

// A descriptor for libmicrohttpd, which closes it.
static inline int dr_web_copy(int file) {
  int copy = fcntl(file, F_DUPFD_CLOEXEC, 3);
  return copy < 0 ? -errno : copy;
}

// The socket of a connection, -1 for none.
static inline int dr_web_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// Ends a connection from another thread than its own, which then closes the socket.
static inline void dr_web_end_of(int socket) { (void)shutdown(socket, SHUT_RDWR); }

// A peer that acknowledges nothing for this time is gone. Without effect on a socket that is not TCP's.
static inline void dr_web_patience(int socket, unsigned milliseconds) {
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

static inline struct MHD_Response *dr_web_stream(MHD_ContentReaderCallback next, void *context,
                                                 MHD_ContentReaderFreeCallback end) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, next, context, end);
}

enum { DR_WEB_END = -1 };

#endif

// SPDX-License-Identifier: Apache-2.0
// A minimal origin on loopback: origin BYTES. Prints its port, answers every request with that number of
// bytes, keeps connections open, and exits when its standard input closes. For benchmarks in which an origin
// in Python would cost more than the programs compared. It runs on the same machine as its clients, but does
// not preempt them, just as an origin on another machine would not.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { most = 4096 };

// How many bytes of the end of a request (an empty line) each connection has received.
static uint8_t seen[most];

static char *answer;
static size_t answer_size;

static void make_answer(size_t body) {
  char head[128];
  int count = snprintf(
      head, sizeof head,
      "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: %zu\r\n\r\n", body);
  answer_size = (size_t)count + body;
  answer = malloc(answer_size);
  if (answer == NULL) exit(1);
  memcpy(answer, head, (size_t)count);
  for (size_t place = 0; place < body; place++) answer[(size_t)count + place] = (char)(place * 31);
}

// Small answers fit into the socket's buffer; larger ones block until they are sent.
static int send_all(int socket) {
  size_t sent = 0;
  while (sent < answer_size) {
    ssize_t now = send(socket, answer + sent, answer_size - sent, MSG_NOSIGNAL);
    if (now < 0) return -1;
    sent += (size_t)now;
  }
  return 0;
}

// Returns false when the connection is closed.
static int serve(int socket) {
  static const char end[] = "\r\n\r\n";
  char bytes[16384];
  ssize_t count = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
  if (count == 0) return 0;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  for (ssize_t place = 0; place < count; place++) {
    uint8_t at = seen[socket];
    at = bytes[place] == end[at] ? at + 1 : bytes[place] == '\r';
    if (at == 4) {
      at = 0;
      if (send_all(socket) != 0) return 0;
    }
    seen[socket] = at;
  }
  return 1;
}

int main(int count, char **words) {
  if (count != 2) return 2;
  make_answer(strtoul(words[1], NULL, 10));
  // Without SCHED_BATCH, each request would wake the origin, which would preempt the sending client.
  if (sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}) != 0) {
    perror("origin: SCHED_BATCH");
    return 1;
  }
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof place;
  if (bind(listener, (struct sockaddr *)&place, size) != 0 || listen(listener, 1024) != 0) return 1;
  getsockname(listener, (struct sockaddr *)&place, &size);
  printf("port %d\n", ntohs(place.sin_port));
  fflush(stdout);

  int poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  event = (struct epoll_event){.events = EPOLLIN, .data.fd = STDIN_FILENO};
  epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &event);
  for (;;) {
    struct epoll_event events[256];
    int ready = epoll_wait(poller, events, 256, -1);
    for (int place = 0; place < ready; place++) {
      int socket = events[place].data.fd;
      if (socket == STDIN_FILENO) return 0;
      if (socket != listener) {
        if (!serve(socket)) close(socket);
        continue;
      }
      int fresh = accept(listener, NULL, NULL);
      if (fresh < 0) continue;
      if (fresh >= most) {
        close(fresh);
        continue;
      }
      int yes = 1;
      setsockopt(fresh, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      seen[fresh] = 0;
      event = (struct epoll_event){.events = EPOLLIN, .data.fd = fresh};
      epoll_ctl(poller, EPOLL_CTL_ADD, fresh, &event);
    }
  }
}

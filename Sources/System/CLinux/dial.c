// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "dial.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int dr_dial_socket(int family, int type, int protocol) {
  int file = socket(family, type | SOCK_CLOEXEC, protocol);
  return file < 0 ? -errno : file;
}

union peer {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
};

static socklen_t fill(union peer *peer, const unsigned char *address, int length) {
  memset(peer, 0, sizeof *peer);
  if (length == 4) {
    peer->four.sin_family = AF_INET;
    memcpy(&peer->four.sin_addr, address, 4);
    return sizeof peer->four;
  }
  peer->six.sin6_family = AF_INET6;
  memcpy(&peer->six.sin6_addr, address, 16);
  return sizeof peer->six;
}

static int binds(const unsigned char *address, int length) {
  union peer peer;
  socklen_t size = fill(&peer, address, length);
  int file = socket(peer.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return 0;
  int is_bound = bind(file, &peer.any, size) == 0;
  close(file);
  return is_bound;
}

// Packets to the address come from it. This misses the second address of an interface.
static int is_source(const unsigned char *address, int length) {
  union peer peer, own;
  socklen_t size = fill(&peer, address, length), own_size = sizeof own;
  // The port counts for nothing: no packet is sent.
  if (length == 4) peer.four.sin_port = htons(9);
  else peer.six.sin6_port = htons(9);
  int file = socket(peer.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return 0;
  int is_same = connect(file, &peer.any, size) == 0 && getsockname(file, &own.any, &own_size) == 0 &&
    (length == 4 ? memcmp(&own.four.sin_addr, address, 4) : memcmp(&own.six.sin6_addr, address, 16)) == 0;
  close(file);
  return is_same;
}

int dr_address_is_own(const unsigned char *address, int length) {
  // Addresses for documentation: no interface has them. With ip_nonlocal_bind, a socket binds to these as well.
  static const unsigned char nobodys[][16] = {
    {192, 0, 2, 1}, {0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
  if (length != 4 && length != 16) return 0;
  if (!binds(address, length)) return 0;
  return !binds(nobodys[length == 16], length) || is_source(address, length);
}

static int has_interface(int file) {
  static const int needed = IFF_UP | IFF_RUNNING;
  struct ifreq rows[128];
  struct ifconf list = {.ifc_len = sizeof rows, .ifc_req = rows};
  if (ioctl(file, SIOCGIFCONF, &list) < 0) return 1;
  int count = list.ifc_len / (int)sizeof *rows;
  if (count >= 128) return 1;
  for (int i = 0; i < count; i++) {
    if (ioctl(file, SIOCGIFFLAGS, &rows[i]) < 0) continue;
    if (!(rows[i].ifr_flags & IFF_LOOPBACK) && (rows[i].ifr_flags & needed) == needed) return 1;
  }
  return 0;
}

int dr_has_network(void) {
  int four = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (four < 0) return 1;
  int found = has_interface(four);
  close(four);
  if (found) return 1;
  int six = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (six < 0) return 0;
  static const unsigned char address[16] = {0x20, [15] = 1};
  union peer peer;
  socklen_t size = fill(&peer, address, 16);
  peer.six.sin6_port = htons(9);
  found = connect(six, &peer.any, size) == 0;
  close(six);
  return found;
}

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

// Of an interface with an address by which others may reach this machine. Routers lead such an address of the loopback
// interface through others, which have none: they cannot tell. The name may be a label, which has no flags.
static int is_connected(int file, struct ifreq *row) {
  static const int needed = IFF_UP | IFF_RUNNING;
  if (ioctl(file, SIOCGIFFLAGS, row) < 0) return 1;
  return (row->ifr_flags & IFF_LOOPBACK) || (row->ifr_flags & needed) == needed;
}

static int is_loopback_address(const struct ifreq *row) {
  struct sockaddr_in address;
  memcpy(&address, &row->ifr_addr, sizeof address);
  return ntohl(address.sin_addr.s_addr) >> 24 == 127;
}

int dr_interface_is_connected(const char *name) {
  struct ifreq row = {0};
  if (strlen(name) >= sizeof row.ifr_name) return 1;
  strcpy(row.ifr_name, name);
  int file = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return 1;
  int found = is_connected(file, &row);
  close(file);
  return found;
}

int dr_has_version4(void) {
  int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return errno != EAFNOSUPPORT;
  // One row for each address: an interface without an address has none.
  struct ifreq rows[128];
  struct ifconf list = {.ifc_len = sizeof rows, .ifc_req = rows};
  int found = ioctl(file, SIOCGIFCONF, &list) < 0 || list.ifc_len >= (int)sizeof rows;
  for (int i = 0; !found && i < list.ifc_len / (int)sizeof *rows; i++)
    found = !is_loopback_address(&rows[i]) && is_connected(file, &rows[i]);
  close(file);
  return found;
}

int dr_knows_version6(void) {
  int file = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return errno != EAFNOSUPPORT;
  close(file);
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// Sockets for outgoing connections. Results as in CLinux.h.

#ifndef DARKROOM_DIAL_H
#define DARKROOM_DIAL_H

int dr_dial_socket(int family, int type, int protocol);

// 1 if an interface of this machine has the address, which is 4 or 16 bytes. Sends nothing, and needs no netlink.
int dr_address_is_own(const unsigned char *address, int length);

// 1 if an interface other than the loopback one is connected and has an address, or there is a route for IPv6; also if
// that cannot be told. Sends nothing, and needs no netlink.
int dr_has_network(void);

#endif

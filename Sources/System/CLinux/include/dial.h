// SPDX-License-Identifier: Apache-2.0
// Sockets for outgoing connections. Results as in CLinux.h.

#ifndef DARKROOM_DIAL_H
#define DARKROOM_DIAL_H

int dr_dial_socket(int family, int type, int protocol);

// 1 if an interface of this machine has the address, which is 4 or 16 bytes. Sends nothing, and needs no netlink.
int dr_address_is_own(const unsigned char *address, int length);

// The next three return 1 as well if they cannot tell. They send nothing, and need no netlink.
// 1 if a connected interface has an address of IPv4 other than 127.0.0.0/8.
int dr_has_version4(void);
// 1 if the kernel, and the sandbox of this process, have IPv6.
int dr_knows_version6(void);
// 1 if the interface is connected, or the loopback one: that has an address by which others reach this machine.
int dr_interface_is_connected(const char *name);

#endif

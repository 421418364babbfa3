// SPDX-License-Identifier: Apache-2.0
// Sockets for outgoing connections. Results as in CLinux.h.

#ifndef DARKROOM_DIAL_H
#define DARKROOM_DIAL_H

int dr_dial_socket(int family, int type, int protocol);

#endif

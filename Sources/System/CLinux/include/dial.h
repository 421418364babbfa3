// SPDX-License-Identifier: Apache-2.0
// Sockets for going out.

#ifndef DARKROOM_DIAL_H
#define DARKROOM_DIAL_H

int dr_dial_socket(int family, int type, int protocol);

#endif

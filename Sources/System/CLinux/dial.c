// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "dial.h"

#include <errno.h>
#include <sys/socket.h>

int dr_dial_socket(int family, int type, int protocol) {
  int file = socket(family, type | SOCK_CLOEXEC, protocol);
  return file < 0 ? -errno : file;
}

// SPDX-License-Identifier: Apache-2.0
// One exchange with a server on 127.0.0.1.

#ifndef DARKROOM_LOOPBACK_H
#define DARKROOM_LOOPBACK_H

#include <stdint.h>

/// Sends the request and reads until the answer is as long as its head says, or the server closes the connection.
/// Waits two minutes for each piece. `answer` must be freed, also after an error.
/// Returns its length, or a negative errno.
int64_t loopback_exchange(uint16_t port, const uint8_t *request, uint64_t count, uint8_t **answer);

#endif

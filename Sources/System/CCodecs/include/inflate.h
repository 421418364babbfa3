// SPDX-License-Identifier: Apache-2.0

#ifndef DARKROOM_INFLATE_H
#define DARKROOM_INFLATE_H

#include <stdint.h>

// A text of a PNG as zlib compressed it.
struct dr_inflate;
struct dr_inflate *dr_inflate_open(void);
// How many bytes came out, with `taken` of those that went in; -1 where they are damaged.
int32_t dr_inflate_some(struct dr_inflate *inflate, const uint8_t *bytes, uint32_t count,
                        uint32_t *taken, uint8_t *out, uint32_t room);
int32_t dr_inflate_ended(const struct dr_inflate *inflate);
void dr_inflate_close(struct dr_inflate *inflate);

#endif

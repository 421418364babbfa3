// SPDX-License-Identifier: Apache-2.0
// Decompresses a text of a PNG with zlib.

#ifndef DARKROOM_INFLATE_H
#define DARKROOM_INFLATE_H

#include <stdint.h>

struct dr_inflate;
// NULL if there is no memory.
struct dr_inflate *dr_inflate_open(void);
// Returns the number of bytes written to `out` and sets `taken`, the number of input bytes used; -1 if the
// input is damaged.
int32_t dr_inflate_some(struct dr_inflate *inflate, const uint8_t *bytes, uint32_t count,
                        uint32_t *taken, uint8_t *out, uint32_t room);
int32_t dr_inflate_ended(const struct dr_inflate *inflate);
void dr_inflate_close(struct dr_inflate *inflate);

#endif

// SPDX-License-Identifier: Apache-2.0
// Decompresses a stream with zlib, in as small steps as the caller wants.

#ifndef DARKROOM_CINFLATE_H
#define DARKROOM_CINFLATE_H

#include <stdint.h>

struct dr_inflate;
// The frame of the deflated bytes, in zlib's numbers: zlib's, gzip's or zlib's, none.
enum { DR_INFLATE_ZLIB = 15, DR_INFLATE_GZIP = 47, DR_INFLATE_RAW = -15 };
// NULL if there is no memory.
struct dr_inflate *dr_inflate_open(int32_t frame);
// Returns the number of bytes written to `out` and sets `taken`, the number of input bytes used; -1 if the
// input is damaged.
int32_t dr_inflate_some(struct dr_inflate *inflate, const uint8_t *bytes, uint32_t count,
                        uint32_t *taken, uint8_t *out, uint32_t room);
int32_t dr_inflate_ended(const struct dr_inflate *inflate);
void dr_inflate_close(struct dr_inflate *inflate);

#endif

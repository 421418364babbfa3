// SPDX-License-Identifier: Apache-2.0
// A deflate stream (RFC 1951, in zlib's frame) for rows of pixels. Each span of pixels is parsed by
// the cheapest way through it, in bits as the block before priced them: literals, or repeats that
// begin and end between pixels. Bounded memory; the same bytes on every machine.

#ifndef DARKROOM_DEFLATE_H
#define DARKROOM_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

struct dr_deflate;

// Takes packed bytes away; may leave by longjmp.
typedef void dr_deflate_give(void *owner, const uint8_t *bytes, size_t count);

// Of pixels of so many bytes: 1, 3, 4, 6 or 8. NULL if there is no memory.
struct dr_deflate *dr_deflate_open(uint32_t pixel, dr_deflate_give *give, void *owner);
// One byte that is no pixel: a row's filter.
void dr_deflate_mark(struct dr_deflate *stream, uint8_t byte);
// Whole pixels.
void dr_deflate_add(struct dr_deflate *stream, const uint8_t *bytes, size_t count);
void dr_deflate_finish(struct dr_deflate *stream);
void dr_deflate_close(struct dr_deflate *stream);
// Rows of a mark and so many bytes, whole pixels, into `room` bytes, as a picture's are. For tests:
// how many bytes they became, -1 if there is no room for them.
int64_t dr_deflate_rows(uint32_t pixel, const uint8_t *bytes, uint64_t count, uint64_t row_size,
                        uint8_t *out, uint64_t room);

#endif

// SPDX-License-Identifier: Apache-2.0
// A deflate stream (RFC 1951, in zlib's frame) for rows of pixels. Each span of pixels is encoded at the
// least cost in bits, by the prices of the previous block, as literals or as repeats of whole pixels; spans
// after one with few repeats are not searched. Bounded memory; the same bytes on every machine.

#ifndef DARKROOM_DEFLATE_H
#define DARKROOM_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

struct dr_deflate;

// Receives compressed bytes; may leave by longjmp.
typedef void dr_deflate_give(void *owner, const uint8_t *bytes, size_t count);

// `pixel` is the size of a pixel in bytes: 1, 3, 4, 6 or 8. NULL if there is no memory.
struct dr_deflate *dr_deflate_open(uint32_t pixel, dr_deflate_give *give, void *owner);
// Adds one byte that is not part of a pixel: a row's filter.
void dr_deflate_mark(struct dr_deflate *stream, uint8_t byte);
// Adds whole pixels.
void dr_deflate_add(struct dr_deflate *stream, const uint8_t *bytes, size_t count);
void dr_deflate_finish(struct dr_deflate *stream);
void dr_deflate_close(struct dr_deflate *stream);
// For tests: compresses rows of a mark byte and `row_size` bytes of whole pixels into `out`. Returns the
// number of compressed bytes, -1 if `room` does not suffice.
int64_t dr_deflate_rows(uint32_t pixel, const uint8_t *bytes, uint64_t count, uint64_t row_size,
                        uint8_t *out, uint64_t room);

#endif

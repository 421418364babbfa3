// SPDX-License-Identifier: Apache-2.0
// PNG's row filters: the choice of a filter, and its application. The same result on every machine.

#ifndef DARKROOM_PNG_FILTER_H
#define DARKROOM_PNG_FILTER_H

#include <stdint.h>

enum { DR_FILTER_NONE, DR_FILTER_SUB, DR_FILTER_UP, DR_FILTER_AVERAGE, DR_FILTER_PAETH };
// Zero bytes before a row, which stand for the pixel left of its first one.
enum { DR_FILTER_MARGIN = 8 };

// Writes the filtered form of `count` bytes from `from` on to `left`.
void dr_filter_apply(int filter, const uint8_t *row, const uint8_t *above, uint64_t from,
                     uint64_t count, uint32_t pixel, uint8_t *left);
// The filter after which the pixels of the row (3, 4, 6 or 8 bytes each) are most alike.
int dr_filter_choose(const uint8_t *row, const uint8_t *above, uint64_t size, uint32_t pixel);

#endif

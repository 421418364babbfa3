// SPDX-License-Identifier: Apache-2.0
// Which of PNG's filters leaves the least of a row.

#ifndef DARKROOM_PNG_FILTER_H
#define DARKROOM_PNG_FILTER_H

#include <stdint.h>

// The row as PNG writes it: the number of the filter with the smallest sum of differences, of equal
// ones the first, and what that filter leaves. Rows are of four bytes a pixel, `kept` of them count;
// `space` holds one such row. Gives the count of bytes put out. The same on every machine.
uint64_t dr_png_filter(const uint8_t *row, const uint8_t *above, uint64_t width, uint32_t kept,
                       uint8_t *space, uint8_t *out);

#endif

// SPDX-License-Identifier: Apache-2.0
// Which of PNG's filters leaves the least of a row.

#ifndef DARKROOM_PNG_FILTER_H
#define DARKROOM_PNG_FILTER_H

#include <stdint.h>

// libpng's name of the filter with the smallest sum of differences; of equal ones the first. Rows
// of four bytes a pixel; a filler that never changes counts for nothing. The same on every machine.
int dr_png_filter(const uint8_t *row, const uint8_t *above, uint64_t width);

#endif

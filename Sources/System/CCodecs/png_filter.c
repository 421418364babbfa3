// SPDX-License-Identifier: Apache-2.0
#include "png_filter.h"

#include <png.h>

enum { SUB, UP, AVERAGE, PAETH, FILTERS, PIXEL = 4, BLOCK = 256 };

static inline uint8_t magnitude(int difference) {
  uint8_t up = (uint8_t)difference, down = (uint8_t)-difference;
  return up < down ? up : down;
}

static inline int16_t absolute(int16_t value) { return value < 0 ? (int16_t)-value : value; }

static inline uint8_t paeth(int16_t left, int16_t above, int16_t corner) {
  int16_t across = absolute((int16_t)(above - corner)), down = absolute((int16_t)(left - corner));
  int16_t both = absolute((int16_t)(above - corner + left - corner));
  int16_t nearer = across <= down ? left : above, distance = across <= down ? across : down;
  return (uint8_t)(distance <= both ? nearer : corner);
}

// Plain loops that the compiler turns into vectors: sums of 16 bits hold one block.
static void add(const uint8_t *row, const uint8_t *above, uint64_t count, uint64_t *sums) {
  const uint8_t *before = row - PIXEL, *corner = above - PIXEL;
  uint16_t sub = 0, up = 0, average = 0, last = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint8_t value = row[i], left = before[i], over = above[i];
    sub = (uint16_t)(sub + magnitude(value - left));
    up = (uint16_t)(up + magnitude(value - over));
    average = (uint16_t)(average + magnitude(value - ((left + over) >> 1)));
    last = (uint16_t)(last + magnitude(value - paeth(left, over, corner[i])));
  }
  sums[SUB] += sub, sums[UP] += up, sums[AVERAGE] += average, sums[PAETH] += last;
}

int dr_png_filter(const uint8_t *row, const uint8_t *above, uint64_t width) {
  static const int names[FILTERS] = {PNG_FILTER_SUB, PNG_FILTER_UP, PNG_FILTER_AVG,
                                     PNG_FILTER_PAETH};
  uint64_t sums[FILTERS] = {0}, size = width * PIXEL;
  for (uint64_t at = PIXEL; at < size; at += BLOCK)
    add(row + at, above + at, size - at < BLOCK ? size - at : BLOCK, sums);
  int best = SUB;
  for (int filter = UP; filter < FILTERS; filter++)
    if (sums[filter] < sums[best]) best = filter;
  return names[best];
}

// SPDX-License-Identifier: Apache-2.0
#include "png_filter.h"

#include <string.h>

enum { NONE, SUB, UP, AVERAGE, PAETH, FILTERS, PIXEL = 4, BLOCK = 256 };

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
  uint16_t sub = 0, up = 0, average = 0, last = 0;
  for (uint64_t i = 0; i < count; i++) {
    uint8_t value = row[i], left = row[i - PIXEL], over = above[i];
    sub = (uint16_t)(sub + magnitude(value - left));
    up = (uint16_t)(up + magnitude(value - over));
    average = (uint16_t)(average + magnitude(value - ((left + over) >> 1)));
    last = (uint16_t)(last + magnitude(value - paeth(left, over, above[i - PIXEL])));
  }
  sums[SUB] += sub, sums[UP] += up, sums[AVERAGE] += average, sums[PAETH] += last;
}

static int choose(const uint8_t *row, const uint8_t *above, uint64_t size) {
  uint64_t sums[FILTERS] = {0};
  for (uint64_t at = PIXEL; at < size; at += BLOCK)
    add(row + at, above + at, size - at < BLOCK ? size - at : BLOCK, sums);
  int best = SUB;
  for (int filter = UP; filter < FILTERS; filter++)
    if (sums[filter] < sums[best]) best = filter;
  return best;
}

static void subtract(int filter, const uint8_t *restrict row, const uint8_t *restrict above,
                     uint64_t size, uint8_t *restrict left) {
  // Of the first pixel nothing is to the left: there `paeth` is `up`.
  for (uint64_t i = 0; i < PIXEL; i++) {
    uint8_t over = filter == SUB ? 0 : filter == AVERAGE ? above[i] >> 1 : above[i];
    left[i] = (uint8_t)(row[i] - over);
  }
  if (filter == SUB)
    for (uint64_t i = PIXEL; i < size; i++) left[i] = (uint8_t)(row[i] - row[i - PIXEL]);
  else if (filter == UP)
    for (uint64_t i = PIXEL; i < size; i++) left[i] = (uint8_t)(row[i] - above[i]);
  else if (filter == AVERAGE)
    for (uint64_t i = PIXEL; i < size; i++)
      left[i] = (uint8_t)(row[i] - ((row[i - PIXEL] + above[i]) >> 1));
  else
    for (uint64_t i = PIXEL; i < size; i++)
      left[i] = (uint8_t)(row[i] - paeth(row[i - PIXEL], above[i], above[i - PIXEL]));
}

uint64_t dr_png_filter(const uint8_t *row, const uint8_t *above, uint64_t width, uint32_t kept,
                       uint8_t *space, uint8_t *out) {
  uint64_t size = width * PIXEL;
  int filter = choose(row, above, size);
  *out++ = (uint8_t)filter;
  subtract(filter, row, above, size, kept == PIXEL ? out : space);
  if (kept == PIXEL) return 1 + size;
  // Whole pixels are copied; the byte too many is the next one's first.
  for (uint64_t x = 0; x < width; x++) memcpy(out + x * kept, space + x * PIXEL, PIXEL);
  return 1 + width * kept;
}

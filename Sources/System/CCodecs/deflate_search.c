// SPDX-License-Identifier: Apache-2.0
// Three tables record earlier places of the same bytes: `near` the last place of about one pixel, `far` the
// last four places of about two, `long_ago` the last place of three, which may be older: without it the
// prints of some photographs were larger than ImageMagick's. Searching at pixel boundaries alone is a third
// of the work and loses almost nothing: the channels of a pixel repeat together.
#include "deflate_stream.h"

#include <string.h>

enum {
  ENOUGH = 32,  // a repeat of this many bytes is taken at once
  RARE = 32,    // if fewer than one pixel in RARE is repeated, the next UNSEARCHED spans are not searched
  UNSEARCHED = 7,
  SKIMMED = 8,  // every eighth place of an unsearched span is recorded, so that later repeats are found
};

static inline uint64_t eight(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return dr_little(value);
}

// A hash of the first `count` bytes; its high bits are the best mixed.
static inline uint64_t hash(uint64_t value, uint32_t count) {
  return (value << (64 - 8 * count)) * 0x9E3779B97F4A7C15ULL;
}

// The number of equal bytes, at most `limit`. `difference` is the exclusive or of the first eight.
static inline uint32_t common(const uint8_t *one, const uint8_t *other, uint64_t difference,
                              uint32_t limit) {
  uint32_t length = 0;
  while (!difference && length + 8 < limit) {
    length += 8;
    difference = eight(one + length) ^ eight(other + length);
  }
  length += difference ? (uint32_t)__builtin_ctzll(difference) >> 3 : 8;
  return length < limit ? length : limit;
}

enum { LANE = 16, LANES = 4 };
static const uint64_t ONES = 0x0001000100010001;

struct places {
  uint32_t near, long_ago;
  uint64_t far, fits;  // four lanes; a lane that fits has its top bit set
};

// Records the place in the tables and returns the previous entries. A lane that fits by chance, or whose
// place is too old, does no harm: the bytes are compared.
static inline struct places note(struct dr_deflate *stream, uint32_t at, uint32_t pixel) {
  const uint32_t near_count = pixel < DR_SHORTEST ? DR_SHORTEST : pixel;
  const uint32_t far_count = pixel == 1 ? 5 : pixel == 3 ? 6 : 8;
  uint64_t value = eight(stream->data + at), tag;
  uint32_t place = stream->start + at;
  uint32_t *near = &stream->near[hash(value, near_count) >> (64 - DR_HASH_BITS)];
  uint64_t mixed = hash(value, far_count);
  struct dr_bucket *far = &stream->far[mixed >> (64 - DR_HASH_BITS)];
  tag = mixed >> (48 - DR_HASH_BITS) & 0xFFFF;
  uint64_t other = far->tags ^ tag * ONES;
  struct places old = {*near, 0, far->places, (other - ONES) & ~other & ONES << (LANE - 1)};
  *near = place;
  if (pixel == 3 || pixel == 4) {
    uint64_t three = pixel == 4 ? value ^ hash(eight(stream->data + at + 4), 8) : value;
    uint32_t *long_ago = &stream->long_ago[hash(three, 8) >> (63 - DR_HASH_BITS)];
    old.long_ago = *long_ago;
    *long_ago = place;
  }
  far->places = far->places << LANE | (place & 0xFFFF);
  far->tags = far->tags << LANE | tag;
  return old;
}

static inline void reach(struct dr_node *node, uint32_t cost, uint32_t step) {
  if (cost >= node->cost) return;
  node->cost = cost, node->step = step;
}

struct best {
  uint32_t length, distance;
};

// Offers this place for every number of pixels that no earlier candidate repeats.
static inline void try(struct dr_deflate *stream, struct dr_node *node, uint32_t at,
                       uint32_t distance, uint32_t pixel, struct best *best) {
  uint32_t left = stream->end - at;
  if (distance - 1 >= (at < DR_REACH ? at : DR_REACH)) return;
  const uint8_t *here = stream->data + at, *there = here - distance;
  uint32_t length = common(here, there, eight(here) ^ eight(there), left), known = best->length;
  if (length <= known || length < DR_SHORTEST) return;
  *best = (struct best){length, distance};
  uint32_t longest = length < DR_LONGEST ? length : DR_LONGEST;
  uint32_t cost = node->cost + stream->distance_cost[dr_distance_symbol(distance).symbol];
  uint32_t least = known < DR_SHORTEST ? DR_SHORTEST - 1 : known;
  for (uint32_t pixels = least / pixel + 1; pixels * pixel <= longest; pixels++)
    reach(node + pixels, cost + stream->length_cost[pixels * pixel], pixels << 16 | distance);
}

// Takes the whole of a long repeat in one step; returns its number of pixels.
static inline uint32_t leap(struct dr_deflate *stream, struct dr_node *node, struct best best,
                            uint32_t pixel) {
  uint32_t pixels = best.length / pixel, cost = node->cost;
  uint32_t price = stream->distance_cost[dr_distance_symbol(best.distance).symbol];
  for (uint32_t left = pixels * pixel, piece; left > 0; left -= piece) {
    piece = dr_length_piece(left);
    cost += stream->length_cost[piece] + price;
  }
  reach(node + pixels, cost, pixels << 16 | best.distance);
  return pixels;
}

__attribute__((always_inline)) static inline void weigh(struct dr_deflate *stream, uint32_t count,
                                                        const uint32_t pixel) {
  // A repeat of this length ends the search at farther places: saves a tenth of the time for a fifth of a
  // percent of the size.
  const uint32_t good = pixel == 1 ? 7 : 3 * pixel;
  struct dr_node *nodes = stream->nodes;
  for (uint32_t i = 0; i <= count; i++) nodes[i] = (struct dr_node){UINT32_MAX, 0};
  nodes[0].cost = 0;
  for (uint32_t i = 0; i < count;) {
    uint32_t at = stream->at + i * pixel, cost = nodes[i].cost;
    for (uint32_t k = 0; k < pixel; k++) cost += stream->literal_cost[stream->data[at + k]];
    reach(nodes + i + 1, cost, 0);
    struct places old = note(stream, at, pixel);
    struct best best = {0, 0};
    uint32_t place = stream->start + at;
    try(stream, nodes + i, at, place - old.near, pixel, &best);
    for (; old.fits && best.length < good; old.fits &= old.fits - 1) {
      uint64_t far = old.far >> ((uint32_t)__builtin_ctzll(old.fits) - (LANE - 1));
      try(stream, nodes + i, at, (uint16_t)(place - far), pixel, &best);
    }
    // Searched only after a recent repeat of two pixels: four fifths of the gain for half of the time.
    if ((pixel == 3 || pixel == 4) && best.length >= 2 * pixel && best.length < good)
      try(stream, nodes + i, at, place - old.long_ago, pixel, &best);
    uint32_t pixels = best.length < ENOUGH ? 1 : leap(stream, nodes + i, best, pixel);
    for (uint32_t k = 1; k < pixels; k++) note(stream, at + k * pixel, pixel);
    i += pixels;
  }
}

// Follows the cheapest path back from its end, and stores each step at its beginning.
static void turn(struct dr_node *nodes, uint32_t count) {
  while (count > 0) {
    uint32_t step = nodes[count].step;
    count -= step > 0 ? step >> 16 : 1;
    nodes[count].cost = step;
  }
}

static void literals(struct dr_deflate *stream, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) dr_deflate_literal(stream, stream->data[stream->at + k]);
  stream->at += count;
}

void dr_deflate_search(struct dr_deflate *stream) {
  uint32_t pixel = stream->pixel, count = (stream->end - stream->at) / pixel, repeated = 0;
  if (count == 0) return;
  if (stream->unsearched > 0) {
    stream->unsearched--;
    for (uint32_t i = 0; i < count; i += SKIMMED)
      if (stream->at + i * pixel + 12 <= stream->end) note(stream, stream->at + i * pixel, pixel);
    literals(stream, count * pixel);
    return;
  }
  memset(stream->data + stream->end, 0, DR_SLACK);
  switch (pixel) {
    case 1: weigh(stream, count, 1); break;
    case 3: weigh(stream, count, 3); break;
    case 4: weigh(stream, count, 4); break;
    case 6: weigh(stream, count, 6); break;
    default: weigh(stream, count, 8); break;
  }
  turn(stream->nodes, count);
  for (uint32_t i = 0; i < count;) {
    uint32_t step = stream->nodes[i].cost, pixels = step > 0 ? step >> 16 : 1;
    if (step == 0) {
      literals(stream, pixel);
    } else {
      dr_deflate_match(stream, pixels * pixel, step & 0xFFFF);
      stream->at += pixels * pixel;
      repeated += pixels;
    }
    i += pixels;
  }
  if (repeated * RARE < count) stream->unsearched = UNSEARCHED;
}

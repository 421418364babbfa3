// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of the deflate: the window and its tables, the tokens of a block, and the prices of
// symbols. 0.6 MB in all.

#ifndef DARKROOM_DEFLATE_STREAM_H
#define DARKROOM_DEFLATE_STREAM_H

#include "include/deflate.h"

enum {
  DR_LITERALS = 286,
  DR_DISTANCES = 30,
  DR_END = 256,
  DR_SHORTEST = 3,
  DR_LONGEST = 258,
  DR_REACH = 32768,       // how far back a repeat may lie
  DR_WINDOW = 128 << 10,  // includes DR_REACH bytes of history
  DR_SPAN = 6 << 10,      // bytes parsed at once; a multiple of every pixel size
  DR_TOKENS = 16384,      // of a block
  DR_FIRST_TOKENS = 6144,  // of the first block, whose prices are guesses
  DR_PACKED = 1 << 16,
  DR_SLACK = 8,           // eight bytes are read at once
  DR_HASH_BITS = 13,
};

// The cheapest path to a pixel boundary: its cost in bits, and its last step.
struct dr_node {
  uint32_t cost;
  uint32_t step;  // pixels << 16 | distance, or 0: one pixel as literals
};

// Four places modulo 2^16, the latest lowest, and 16 further bits of the hash for each.
struct dr_bucket {
  uint64_t places, tags;
};

struct dr_deflate {
  dr_deflate_give *give;
  void *owner;
  uint32_t pixel;
  uint64_t bits;  // bits that do not fill a byte yet
  uint32_t bit_count, packed_count, adler;
  uint32_t start;    // the stream's offset of data[0], modulo 2^32
  uint32_t at, end;  // within data: parsed up to, filled up to
  uint32_t unsearched;  // the number of next spans to take as literals: repeats were too rare
  uint32_t token_count, token_limit;
  uint32_t literal_uses[DR_LITERALS], distance_uses[DR_DISTANCES];
  uint8_t literal_cost[256], length_cost[DR_LONGEST + 1], distance_cost[DR_DISTANCES];
  uint32_t tokens[DR_TOKENS];  // a literal, or length << 16 | distance
  struct dr_node nodes[DR_SPAN + 1];
  uint32_t near[1 << DR_HASH_BITS], long_ago[2 << DR_HASH_BITS];
  struct dr_bucket far[1 << DR_HASH_BITS];
  uint8_t packed[DR_PACKED + DR_SLACK];
  uint8_t data[DR_WINDOW + DR_SLACK];
};

// deflate_search.c: parses the bytes from `at` to `end`, whole pixels of at most DR_SPAN bytes.
void dr_deflate_search(struct dr_deflate *stream);
// deflate.c
void dr_deflate_literal(struct dr_deflate *stream, uint8_t byte);
void dr_deflate_match(struct dr_deflate *stream, uint32_t length, uint32_t distance);
// deflate_block.c: writes the collected tokens as a block, and sets the prices for the next one.
void dr_deflate_block(struct dr_deflate *stream, int is_last);
void dr_deflate_bits(struct dr_deflate *stream, uint64_t value, uint32_t count);

// adler.c: the same result as zlib's adler32.
uint32_t dr_adler(uint32_t adler, const uint8_t *bytes, size_t count);

// Converts between the machine's byte order and little-endian.
static inline uint64_t dr_little(uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return __builtin_bswap64(value);
#else
  return value;
#endif
}

// A length or a distance in deflate's terms: its symbol, and the bits that follow it.
struct dr_symbol {
  uint32_t symbol, extra_count, extra;
};

static inline struct dr_symbol dr_length_symbol(uint32_t length) {
  uint32_t rest = length - DR_SHORTEST;
  if (length == DR_LONGEST) return (struct dr_symbol){285, 0, 0};
  if (rest < 8) return (struct dr_symbol){257 + rest, 0, 0};
  uint32_t top = 31 - (uint32_t)__builtin_clz(rest), extra = top - 2;
  return (struct dr_symbol){257 + 4 * (top - 1) + (rest >> extra & 3), extra,
                            rest & ((1U << extra) - 1)};
}

static inline struct dr_symbol dr_distance_symbol(uint32_t distance) {
  uint32_t rest = distance - 1;
  if (rest < 4) return (struct dr_symbol){rest, 0, 0};
  uint32_t top = 31 - (uint32_t)__builtin_clz(rest), extra = top - 1;
  return (struct dr_symbol){2 * top + (rest >> extra & 1), extra, rest & ((1U << extra) - 1)};
}

// The length of the next piece of a repeat that may be longer than DR_LONGEST; no rest becomes too short.
static inline uint32_t dr_length_piece(uint32_t left) {
  if (left <= DR_LONGEST) return left;
  return left < DR_LONGEST + DR_SHORTEST ? left - DR_SHORTEST : DR_LONGEST;
}

#endif

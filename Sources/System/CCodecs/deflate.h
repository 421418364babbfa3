// SPDX-License-Identifier: Apache-2.0
// A deflate stream (RFC 1951, in zlib's frame) for filtered rows of photographs. Each match is
// weighed in bits against the literals it replaces: among residuals most repeats are short, and a
// far one costs more than it saves. Bounded memory; the same bytes on every machine.

#ifndef DARKROOM_DEFLATE_H
#define DARKROOM_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

enum {
  DR_LITERALS = 288,
  DR_DISTANCES = 30,
  DR_END = 256,
  DR_SHORTEST = 3,
  DR_LONGEST = 258,
  DR_REACH = 32768,     // how far back a match may lie
  DR_TOKENS = 24576,    // of a block
  DR_WINDOW = 1 << 18,  // of it DR_REACH are history
  DR_PACKED = 1 << 16,
};

// Gives packed bytes away; may leave by longjmp.
typedef void dr_deflate_give(void *owner, const uint8_t *bytes, size_t count);

struct dr_deflate {
  dr_deflate_give *give;
  void *owner;
  uint64_t bits;  // not yet a byte
  uint32_t bit_count, packed_count, adler;
  uint32_t start;   // the stream's offset of data[0]
  uint32_t at, end;  // within data
  uint32_t token_count;
  uint32_t literal_uses[DR_LITERALS], distance_uses[DR_DISTANCES];
  uint8_t literal_cost[256], length_cost[DR_LONGEST + 1], distance_cost[DR_DISTANCES];
  uint32_t tokens[DR_TOKENS];  // a literal, or length << 16 | distance
  uint32_t heads[1 << 15], short_heads[1 << 14], before[DR_REACH];
  uint8_t packed[DR_PACKED];
  uint8_t data[DR_WINDOW + 8];
};

// NULL if there is no memory. Ends with `free`.
struct dr_deflate *dr_deflate_open(dr_deflate_give *give, void *owner);
void dr_deflate_add(struct dr_deflate *stream, const uint8_t *bytes, size_t count);
void dr_deflate_finish(struct dr_deflate *stream);

// deflate_block.c: the tokens so far as a block, and what their symbols cost in the next one.
void dr_deflate_block(struct dr_deflate *stream, int is_last);
void dr_deflate_bits(struct dr_deflate *stream, uint32_t value, uint32_t count);

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

#endif

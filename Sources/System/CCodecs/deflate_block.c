// SPDX-License-Identifier: Apache-2.0
#include "deflate_code.h"

#include <string.h>

// UNUSED: the price in bits of a symbol that the last block did not use.
enum { LONGEST_WORD = 15, LONGEST_PLAN = 7, PLANS = 19, UNUSED = 13 };

static inline void add(struct dr_deflate *stream, uint64_t value, uint32_t count) {
  stream->bits |= value << stream->bit_count;
  stream->bit_count += count;
  uint64_t bits = dr_little(stream->bits);
  uint32_t whole = stream->bit_count >> 3;
  memcpy(stream->packed + stream->packed_count, &bits, sizeof bits);
  stream->packed_count += whole;
  stream->bits >>= 8 * whole, stream->bit_count &= 7;
  if (stream->packed_count < DR_PACKED) return;
  uint32_t packed = stream->packed_count;
  stream->packed_count = 0;
  stream->give(stream->owner, stream->packed, packed);
}

void dr_deflate_bits(struct dr_deflate *stream, uint64_t value, uint32_t count) {
  add(stream, value, count);
}

static inline void put(struct dr_deflate *stream, const struct dr_code *code, uint32_t symbol) {
  add(stream, code->words[symbol], code->lengths[symbol]);
}

// Converts code lengths into deflate's runs (plan | extra bits << 8); returns the number of runs.
static uint32_t shorten(const uint8_t *lengths, uint32_t count, uint16_t *runs) {
  uint32_t made = 0;
  for (uint32_t i = 0; i < count;) {
    uint32_t run = 1;
    while (i + run < count && lengths[i + run] == lengths[i]) run++;
    i += run;
    uint8_t length = lengths[i - 1];
    if (length > 0) runs[made++] = length, run--;
    while (run >= 3) {
      uint32_t most = length > 0 ? 6 : 138, part = run < most ? run : most;
      if (length > 0) runs[made++] = (uint16_t)(16 | (part - 3) << 8);
      else if (part < 11) runs[made++] = (uint16_t)(17 | (part - 3) << 8);
      else runs[made++] = (uint16_t)(18 | (part - 11) << 8);
      run -= part;
    }
    while (run-- > 0) runs[made++] = length;
  }
  return made;
}

static void head(struct dr_deflate *stream, const struct dr_code *literals,
                 const struct dr_code *distances) {
  static const uint8_t turns[PLANS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[DR_LITERALS + DR_DISTANCES];
  memcpy(lengths, literals->lengths, DR_LITERALS);
  memcpy(lengths + DR_LITERALS, distances->lengths, DR_DISTANCES);
  uint16_t runs[sizeof lengths];
  uint32_t count = shorten(lengths, sizeof lengths, runs), uses[PLANS] = {0};
  for (uint32_t i = 0; i < count; i++) uses[runs[i] & 0xFF]++;
  struct dr_code plans;
  dr_code_build(&plans, uses, PLANS, LONGEST_PLAN);
  dr_deflate_bits(stream, DR_LITERALS - 257, 5);
  dr_deflate_bits(stream, DR_DISTANCES - 1, 5);
  dr_deflate_bits(stream, PLANS - 4, 4);
  for (int i = 0; i < PLANS; i++) dr_deflate_bits(stream, plans.lengths[turns[i]], 3);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t plan = runs[i] & 0xFF;
    put(stream, &plans, plan);
    dr_deflate_bits(stream, runs[i] >> 8, plan == 16 ? 2 : plan == 17 ? 3 : plan == 18 ? 7 : 0);
  }
}

static uint8_t price(uint8_t length) { return length > 0 ? length : UNUSED; }

static void learn(struct dr_deflate *stream, const struct dr_code *literals,
                  const struct dr_code *distances) {
  for (uint32_t i = 0; i < 256; i++) stream->literal_cost[i] = price(literals->lengths[i]);
  for (uint32_t i = DR_SHORTEST; i <= DR_LONGEST; i++) {
    struct dr_symbol length = dr_length_symbol(i);
    stream->length_cost[i] = (uint8_t)(price(literals->lengths[length.symbol]) + length.extra_count);
  }
  for (uint32_t i = 0; i < DR_DISTANCES; i++)
    stream->distance_cost[i] = (uint8_t)(price(distances->lengths[i]) + (i < 4 ? 0 : i / 2 - 1));
}

// At most 15 + 5 + 15 + 13 bits.
static inline void put_match(struct dr_deflate *stream, const struct dr_code *literals,
                             const struct dr_code *distances, uint32_t token) {
  struct dr_symbol length = dr_length_symbol(token >> 16);
  struct dr_symbol distance = dr_distance_symbol(token & 0xFFFF);
  uint64_t bits = literals->words[length.symbol];
  uint32_t count = literals->lengths[length.symbol];
  bits |= (uint64_t)length.extra << count, count += length.extra_count;
  bits |= (uint64_t)distances->words[distance.symbol] << count;
  count += distances->lengths[distance.symbol];
  bits |= (uint64_t)distance.extra << count, count += distance.extra_count;
  add(stream, bits, count);
}

void dr_deflate_block(struct dr_deflate *stream, int is_last) {
  struct dr_code literals, distances;
  stream->literal_uses[DR_END]++;
  dr_code_build(&literals, stream->literal_uses, DR_LITERALS, LONGEST_WORD);
  dr_code_build(&distances, stream->distance_uses, DR_DISTANCES, LONGEST_WORD);
  dr_deflate_bits(stream, is_last ? 5 : 4, 3);
  head(stream, &literals, &distances);
  for (uint32_t i = 0; i < stream->token_count; i++) {
    uint32_t token = stream->tokens[i];
    if (token < 256) put(stream, &literals, token);
    else put_match(stream, &literals, &distances, token);
  }
  put(stream, &literals, DR_END);
  learn(stream, &literals, &distances);
  stream->token_count = 0;
  stream->token_limit = DR_TOKENS;
  memset(stream->literal_uses, 0, sizeof stream->literal_uses);
  memset(stream->distance_uses, 0, sizeof stream->distance_uses);
}

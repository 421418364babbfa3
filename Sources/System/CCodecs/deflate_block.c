// SPDX-License-Identifier: Apache-2.0
#include "deflate.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_CODE = 15, LONGEST_PLAN = 7, PLANS = 19, UNUSED = 13 };

struct code {
  uint8_t lengths[DR_LITERALS];
  uint16_t words[DR_LITERALS];  // the first bit lowest
};

void dr_deflate_bits(struct dr_deflate *stream, uint32_t value, uint32_t count) {
  stream->bits |= (uint64_t)value << stream->bit_count;
  stream->bit_count += count;
  while (stream->bit_count >= 8) {
    stream->packed[stream->packed_count++] = (uint8_t)stream->bits;
    stream->bits >>= 8, stream->bit_count -= 8;
    if (stream->packed_count < DR_PACKED) continue;
    stream->packed_count = 0;
    stream->give(stream->owner, stream->packed, DR_PACKED);
  }
}

static int order(const void *one, const void *other) {
  uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return (a > b) - (a < b);
}

// How many symbols get a code of each length: Huffman's, over two queues, and none too long.
static void measure(const uint64_t *sorted, int used, int longest, uint32_t *counts) {
  uint64_t weights[2 * DR_LITERALS];
  int parents[2 * DR_LITERALS], depths[2 * DR_LITERALS], leaf = 0, inner = used, next = used;
  for (int i = 0; i < used; i++) weights[i] = sorted[i] >> 16;
  while (next < 2 * used - 1) {
    weights[next] = 0;
    for (int child = 0; child < 2; child++) {
      int is_leaf = leaf < used && (inner == next || weights[leaf] <= weights[inner]);
      int taken = is_leaf ? leaf++ : inner++;
      weights[next] += weights[taken];
      parents[taken] = next;
    }
    next++;
  }
  depths[next - 1] = 0;
  uint32_t total = 0;
  for (int i = next - 2; i >= 0; i--) {
    depths[i] = depths[parents[i]] + 1;
    if (i < used) counts[depths[i] < longest ? depths[i] : longest]++;
  }
  for (int i = 1; i <= longest; i++) total += counts[i] << (longest - i);
  for (; total > 1U << longest; total--) {
    int i = longest - 1;
    while (counts[i] == 0) i--;
    counts[longest]--, counts[i]--, counts[i + 1] += 2;
  }
}

static void name(struct code *code, int symbols, const uint32_t *counts) {
  uint32_t next[LONGEST_CODE + 2] = {0};
  for (int i = 1; i <= LONGEST_CODE; i++) next[i + 1] = (next[i] + counts[i]) << 1;
  for (int i = 0; i < symbols; i++) {
    uint32_t word = code->lengths[i] ? next[code->lengths[i]]++ : 0, turned = 0;
    for (int bit = 0; bit < code->lengths[i]; bit++) turned = turned << 1 | (word >> bit & 1);
    code->words[i] = (uint16_t)turned;
  }
}

// A code has two words at least: some decoders refuse an incomplete one.
static void build(struct code *code, uint32_t *uses, int symbols, int longest) {
  uint64_t sorted[DR_LITERALS];
  int used = 0;
  for (int i = 0; i < symbols; i++) used += uses[i] > 0;
  for (int i = 0; used < 2; i++)
    if (uses[i] == 0) uses[i] = 1, used++;
  used = 0;
  for (int i = 0; i < symbols; i++)
    if (uses[i] > 0) sorted[used++] = (uint64_t)uses[i] << 16 | (uint64_t)i;
  qsort(sorted, (size_t)used, sizeof *sorted, order);
  uint32_t counts[LONGEST_CODE + 1] = {0};
  measure(sorted, used, longest, counts);
  memset(code->lengths, 0, sizeof code->lengths);
  int at = 0;
  for (int length = longest; length > 0; length--)
    for (uint32_t i = 0; i < counts[length]; i++)
      code->lengths[sorted[at++] & 0xFFFF] = (uint8_t)length;
  name(code, symbols, counts);
}

static inline void put(struct dr_deflate *stream, const struct code *code, uint32_t symbol) {
  dr_deflate_bits(stream, code->words[symbol], code->lengths[symbol]);
}

// The codes' lengths in runs, as deflate writes them: plan | extra bits << 8; how many.
static int shorten(const uint8_t *lengths, int count, uint16_t *runs) {
  int made = 0;
  for (int i = 0; i < count;) {
    int run = 1;
    while (i + run < count && lengths[i + run] == lengths[i]) run++;
    i += run;
    uint8_t length = lengths[i - 1];
    if (length > 0) runs[made++] = length, run--;
    while (run >= 3) {
      int most = length > 0 ? 6 : 138, part = run < most ? run : most;
      if (length > 0) runs[made++] = (uint16_t)(16 | (part - 3) << 8);
      else if (part < 11) runs[made++] = (uint16_t)(17 | (part - 3) << 8);
      else runs[made++] = (uint16_t)(18 | (part - 11) << 8);
      run -= part;
    }
    while (run-- > 0) runs[made++] = length;
  }
  return made;
}

static void head(struct dr_deflate *stream, const struct code *literals,
                 const struct code *distances) {
  static const uint8_t turns[PLANS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                       11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[286 + DR_DISTANCES];
  memcpy(lengths, literals->lengths, 286);
  memcpy(lengths + 286, distances->lengths, DR_DISTANCES);
  uint16_t runs[sizeof lengths];
  int count = shorten(lengths, sizeof lengths, runs);
  uint32_t uses[PLANS] = {0};
  for (int i = 0; i < count; i++) uses[runs[i] & 0xFF]++;
  struct code plans;
  build(&plans, uses, PLANS, LONGEST_PLAN);
  dr_deflate_bits(stream, 286 - 257, 5);
  dr_deflate_bits(stream, DR_DISTANCES - 1, 5);
  dr_deflate_bits(stream, PLANS - 4, 4);
  for (int i = 0; i < PLANS; i++) dr_deflate_bits(stream, plans.lengths[turns[i]], 3);
  for (int i = 0; i < count; i++) {
    uint32_t plan = runs[i] & 0xFF;
    put(stream, &plans, plan);
    dr_deflate_bits(stream, runs[i] >> 8, plan == 16 ? 2 : plan == 17 ? 3 : plan == 18 ? 7 : 0);
  }
}

static uint8_t price(uint8_t length) { return length > 0 ? length : UNUSED; }

static void learn(struct dr_deflate *stream, const struct code *literals,
                  const struct code *distances) {
  for (uint32_t i = 0; i < 256; i++) stream->literal_cost[i] = price(literals->lengths[i]);
  for (uint32_t i = DR_SHORTEST; i <= DR_LONGEST; i++) {
    struct dr_symbol length = dr_length_symbol(i);
    stream->length_cost[i] = (uint8_t)(price(literals->lengths[length.symbol]) + length.extra_count);
  }
  for (uint32_t i = 0; i < DR_DISTANCES; i++)
    stream->distance_cost[i] = (uint8_t)(price(distances->lengths[i]) + (i < 4 ? 0 : i / 2 - 1));
}

void dr_deflate_block(struct dr_deflate *stream, int is_last) {
  struct code literals, distances;
  stream->literal_uses[DR_END]++;
  build(&literals, stream->literal_uses, 286, LONGEST_CODE);
  build(&distances, stream->distance_uses, DR_DISTANCES, LONGEST_CODE);
  dr_deflate_bits(stream, is_last ? 5 : 4, 3);
  head(stream, &literals, &distances);
  for (uint32_t i = 0; i < stream->token_count; i++) {
    uint32_t token = stream->tokens[i], far = token & 0xFFFF;
    if (token < 256) {
      put(stream, &literals, token);
      continue;
    }
    struct dr_symbol length = dr_length_symbol(token >> 16), distance = dr_distance_symbol(far);
    put(stream, &literals, length.symbol);
    dr_deflate_bits(stream, length.extra, length.extra_count);
    put(stream, &distances, distance.symbol);
    dr_deflate_bits(stream, distance.extra, distance.extra_count);
  }
  put(stream, &literals, DR_END);
  learn(stream, &literals, &distances);
  stream->token_count = 0;
  memset(stream->literal_uses, 0, sizeof stream->literal_uses);
  memset(stream->distance_uses, 0, sizeof stream->distance_uses);
}

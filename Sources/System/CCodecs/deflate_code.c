// SPDX-License-Identifier: Apache-2.0
#include "deflate_code.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 15 };

static int order(const void *one, const void *other) {
  uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
  return (a > b) - (a < b);
}

// The depth of each sorted symbol in Huffman's tree, built with two queues.
static void depths(const uint64_t *sorted, uint32_t used, uint32_t *depths) {
  uint64_t weights[2 * DR_LITERALS];
  uint32_t parents[2 * DR_LITERALS], leaf = 0, inner = used, next = used;
  for (uint32_t i = 0; i < used; i++) weights[i] = sorted[i] >> 16;
  for (; next < 2 * used - 1; next++) {
    weights[next] = 0;
    for (int child = 0; child < 2; child++) {
      int is_leaf = leaf < used && (inner == next || weights[leaf] <= weights[inner]);
      uint32_t taken = is_leaf ? leaf++ : inner++;
      weights[next] += weights[taken];
      parents[taken] = next;
    }
  }
  depths[next - 1] = 0;
  for (uint32_t i = next - 1; i-- > 0;) depths[i] = depths[parents[i]] + 1;
}

// The number of words of each length. Words above `longest` are shortened, and others lengthened until the
// sum of 2^-length is one again.
static void measure(const uint64_t *sorted, uint32_t used, uint32_t longest, uint32_t *counts) {
  uint32_t depth[2 * DR_LITERALS], total = 0;
  depths(sorted, used, depth);
  for (uint32_t i = 0; i < used; i++) counts[depth[i] < longest ? depth[i] : longest]++;
  for (uint32_t i = 1; i <= longest; i++) total += counts[i] << (longest - i);
  for (; total > 1U << longest; total--) {
    uint32_t i = longest - 1;
    while (counts[i] == 0) i--;
    counts[longest]--, counts[i]--, counts[i + 1] += 2;
  }
}

// Derives the words from their lengths, as deflate defines it.
static void name(struct dr_code *code, uint32_t symbols, const uint32_t *counts) {
  uint32_t next[LONGEST + 2] = {0};
  for (uint32_t i = 1; i <= LONGEST; i++) next[i + 1] = (next[i] + counts[i]) << 1;
  for (uint32_t i = 0; i < symbols; i++) {
    uint32_t word = code->lengths[i] ? next[code->lengths[i]]++ : 0, turned = 0;
    for (uint32_t bit = 0; bit < code->lengths[i]; bit++) turned = turned << 1 | (word >> bit & 1);
    code->words[i] = (uint16_t)turned;
  }
}

void dr_code_build(struct dr_code *code, uint32_t *uses, uint32_t symbols, uint32_t longest) {
  uint64_t sorted[DR_LITERALS];
  uint32_t used = 0, at = 0, counts[LONGEST + 1] = {0};
  for (uint32_t i = 0; i < symbols; i++) used += uses[i] > 0;
  for (uint32_t i = 0; used < 2; i++)
    if (uses[i] == 0) uses[i] = 1, used++;
  used = 0;
  for (uint32_t i = 0; i < symbols; i++)
    if (uses[i] > 0) sorted[used++] = (uint64_t)uses[i] << 16 | i;
  qsort(sorted, used, sizeof *sorted, order);
  measure(sorted, used, longest, counts);
  memset(code->lengths, 0, sizeof code->lengths);
  for (uint32_t length = longest; length > 0; length--)
    for (uint32_t i = 0; i < counts[length]; i++)
      code->lengths[sorted[at++] & 0xFFFF] = (uint8_t)length;
  name(code, symbols, counts);
}

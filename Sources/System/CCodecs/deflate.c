// SPDX-License-Identifier: Apache-2.0
#include "deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DEPTH = 12, ENOUGH = 24 };

struct match {
  uint32_t length, distance;
};

static inline uint32_t four(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static inline uint32_t common(const uint8_t *one, const uint8_t *other, uint32_t limit) {
  uint32_t length = 0;
  while (length + 8 <= limit) {
    uint64_t a, b;
    memcpy(&a, one + length, 8);
    memcpy(&b, other + length, 8);
    if (a != b) break;
    length += 8;
  }
  while (length < limit && one[length] == other[length]) length++;
  return length;
}

// The position into the tables; what was there before under the same three and four bytes.
static inline void note(struct dr_deflate *stream, uint32_t at, uint32_t *near, uint32_t *chain) {
  uint32_t value = four(stream->data + at), place = stream->start + at;
  uint32_t *brief = &stream->short_heads[((value << 8) * 0x9E3779B1U) >> 18];
  uint32_t *head = &stream->heads[(value * 0x9E3779B1U) >> 17];
  *near = *brief, *chain = *head;
  stream->before[place % DR_REACH] = *head;
  *brief = *head = place;
}

// The longest match that is not dearer than its literals; a length of 0 if there is none.
static struct match find(const struct dr_deflate *stream, uint32_t at, uint32_t limit,
                         uint32_t near, uint32_t chain) {
  const uint8_t *here = stream->data + at;
  uint32_t place = stream->start + at, reach = at < DR_REACH - 1 ? at : DR_REACH - 1;
  struct match best = {0, 0};
  uint32_t distance = place - near;
  if (distance - 1 < reach) {
    uint32_t length = common(here, here - distance, limit);
    if (length >= DR_SHORTEST) best = (struct match){length, distance};
  }
  uint32_t last = 0;
  for (int depth = DEPTH; depth > 0 && best.length < ENOUGH; depth--) {
    distance = place - chain;
    if (distance - 1 >= reach || distance <= last) break;
    last = distance;
    chain = stream->before[chain % DR_REACH];
    const uint8_t *there = here - distance;
    if (best.length < limit && best.length >= 3 && there[best.length] != here[best.length])
      continue;
    if (four(there) != four(here)) continue;
    uint32_t length = common(here, there, limit);
    if (length > best.length) best = (struct match){length, distance};
  }
  if (best.length < DR_SHORTEST) return (struct match){0, 0};
  if (best.length >= 9) return best;
  uint32_t literals = 0;
  for (uint32_t i = 0; i < best.length; i++) literals += stream->literal_cost[here[i]];
  uint32_t cost = stream->length_cost[best.length] +
                  stream->distance_cost[dr_distance_symbol(best.distance).symbol];
  return cost < literals ? best : (struct match){0, 0};
}

static inline void take(struct dr_deflate *stream, struct match match, uint32_t at) {
  uint32_t token = stream->data[at];
  if (match.length > 0) {
    token = match.length << 16 | match.distance;
    stream->literal_uses[dr_length_symbol(match.length).symbol]++;
    stream->distance_uses[dr_distance_symbol(match.distance).symbol]++;
  } else {
    stream->literal_uses[token]++;
  }
  stream->tokens[stream->token_count++] = token;
  if (stream->token_count == DR_TOKENS) dr_deflate_block(stream, 0);
}

// Everything up to where the longest match may need bytes that are still to come.
static void search(struct dr_deflate *stream, uint32_t stop) {
  while (stream->at < stop) {
    uint32_t at = stream->at, near, chain, left = stream->end - at;
    uint32_t limit = left < DR_LONGEST ? left : DR_LONGEST;
    note(stream, at, &near, &chain);
    struct match match = find(stream, at, limit, near, chain);
    take(stream, match, at);
    uint32_t length = match.length > 0 ? match.length : 1;
    for (uint32_t i = 1; i < length; i++) note(stream, at + i, &near, &chain);
    stream->at += length;
  }
}

struct dr_deflate *dr_deflate_open(dr_deflate_give *give, void *owner) {
  struct dr_deflate *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->give = give, stream->owner = owner;
  stream->start = 2 * DR_REACH;  // empty tables point farther back than any match may
  stream->adler = 1;
  memset(stream->literal_cost, 6, sizeof stream->literal_cost);
  memset(stream->length_cost, 7, sizeof stream->length_cost);
  for (uint32_t i = 0; i < DR_DISTANCES; i++)
    stream->distance_cost[i] = (uint8_t)(5 + (i < 4 ? 0 : i / 2 - 1));
  dr_deflate_bits(stream, 0x9C78, 16);  // zlib's frame: deflate, 32 KiB
  return stream;
}

void dr_deflate_add(struct dr_deflate *stream, const uint8_t *bytes, size_t count) {
  stream->adler = (uint32_t)adler32_z(stream->adler, bytes, count);
  while (count > 0) {
    if (stream->end == DR_WINDOW) {
      search(stream, DR_WINDOW - DR_LONGEST);
      uint32_t gone = stream->at - DR_REACH;
      memmove(stream->data, stream->data + gone, stream->end - gone);
      stream->start += gone, stream->at -= gone, stream->end -= gone;
    }
    size_t room = DR_WINDOW - stream->end, part = count < room ? count : room;
    memcpy(stream->data + stream->end, bytes, part);
    stream->end += (uint32_t)part, bytes += part, count -= part;
  }
}

void dr_deflate_finish(struct dr_deflate *stream) {
  memset(stream->data + stream->end, 0, 8);  // the tables read three bytes farther
  search(stream, stream->end);
  dr_deflate_block(stream, 1);
  dr_deflate_bits(stream, 0, -stream->bit_count & 7);
  for (int shift = 24; shift >= 0; shift -= 8)
    dr_deflate_bits(stream, stream->adler >> shift & 0xFF, 8);
  stream->give(stream->owner, stream->packed, stream->packed_count);
  stream->packed_count = 0;
}

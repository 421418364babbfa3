// SPDX-License-Identifier: Apache-2.0
#include "deflate_stream.h"

#include <stdlib.h>
#include <string.h>

struct dr_deflate *dr_deflate_open(uint32_t pixel, dr_deflate_give *give, void *owner) {
  struct dr_deflate *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->give = give, stream->owner = owner;
  stream->pixel = pixel;
  stream->start = 2 * DR_REACH;  // empty table entries then lie farther back than any repeat may
  stream->adler = 1;
  stream->token_limit = DR_FIRST_TOKENS;
  memset(stream->literal_cost, 6, sizeof stream->literal_cost);
  memset(stream->length_cost, 7, sizeof stream->length_cost);
  for (uint32_t i = 0; i < DR_DISTANCES; i++)
    stream->distance_cost[i] = (uint8_t)(5 + (i < 4 ? 0 : i / 2 - 1));
  dr_deflate_bits(stream, 0x9C78, 16);  // zlib's frame: deflate, 32 KiB
  return stream;
}

static inline void take(struct dr_deflate *stream, uint32_t token) {
  stream->tokens[stream->token_count++] = token;
  if (stream->token_count == stream->token_limit) dr_deflate_block(stream, 0);
}

void dr_deflate_literal(struct dr_deflate *stream, uint8_t byte) {
  stream->literal_uses[byte]++;
  take(stream, byte);
}

void dr_deflate_match(struct dr_deflate *stream, uint32_t length, uint32_t distance) {
  uint32_t symbol = dr_distance_symbol(distance).symbol;
  while (length > 0) {
    uint32_t piece = dr_length_piece(length);
    stream->literal_uses[dr_length_symbol(piece).symbol]++;
    stream->distance_uses[symbol]++;
    take(stream, piece << 16 | distance);
    length -= piece;
  }
}

// Makes room for `count` more bytes: drops bytes that no repeat can reach.
static void make_room(struct dr_deflate *stream, size_t count) {
  if (stream->end + count <= DR_WINDOW) return;
  uint32_t gone = stream->at - DR_REACH;
  memmove(stream->data, stream->data + gone, stream->end - gone);
  stream->start += gone, stream->at -= gone, stream->end -= gone;
}

void dr_deflate_mark(struct dr_deflate *stream, uint8_t byte) {
  dr_deflate_search(stream);
  make_room(stream, 1);
  stream->adler = dr_adler(stream->adler, &byte, 1);
  stream->data[stream->end++] = byte;
  stream->at = stream->end;
  dr_deflate_literal(stream, byte);
}

void dr_deflate_add(struct dr_deflate *stream, const uint8_t *bytes, size_t count) {
  stream->adler = dr_adler(stream->adler, bytes, count);
  while (count > 0) {
    size_t room = DR_SPAN - (stream->end - stream->at), part = count < room ? count : room;
    make_room(stream, part);
    memcpy(stream->data + stream->end, bytes, part);
    stream->end += (uint32_t)part, bytes += part, count -= part;
    if (stream->end - stream->at == DR_SPAN) dr_deflate_search(stream);
  }
}

void dr_deflate_finish(struct dr_deflate *stream) {
  dr_deflate_search(stream);
  dr_deflate_block(stream, 1);
  dr_deflate_bits(stream, 0, -stream->bit_count & 7);
  dr_deflate_bits(stream, __builtin_bswap32(stream->adler), 32);
  stream->give(stream->owner, stream->packed, stream->packed_count);
  stream->packed_count = 0;
}

void dr_deflate_close(struct dr_deflate *stream) { free(stream); }

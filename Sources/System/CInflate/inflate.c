// SPDX-License-Identifier: Apache-2.0
#include "CInflate.h"

#include <stdlib.h>
// Makes zlib's input pointers const.
#define ZLIB_CONST
#include <zlib.h>

struct dr_inflate {
  z_stream codec;
  int ended;
};

struct dr_inflate *dr_inflate_open(int32_t frame) {
  struct dr_inflate *inflate = calloc(1, sizeof *inflate);
  if (!inflate) return NULL;
  if (inflateInit2(&inflate->codec, frame) == Z_OK) return inflate;
  free(inflate);
  return NULL;
}

int32_t dr_inflate_some(struct dr_inflate *text, const uint8_t *bytes, uint32_t count,
                        uint32_t *taken, uint8_t *out, uint32_t room) {
  *taken = 0;
  if (text->ended) return 0;
  text->codec.next_in = bytes;
  text->codec.avail_in = count;
  text->codec.next_out = out;
  text->codec.avail_out = room;
  int result = inflate(&text->codec, Z_NO_FLUSH);
  // Z_BUF_ERROR only means that input is missing: more may come.
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return -1;
  text->ended = result == Z_STREAM_END;
  *taken = count - text->codec.avail_in;
  return (int32_t)(room - text->codec.avail_out);
}

int32_t dr_inflate_ended(const struct dr_inflate *inflate) { return inflate->ended; }

void dr_inflate_close(struct dr_inflate *inflate) {
  if (!inflate) return;
  inflateEnd(&inflate->codec);
  free(inflate);
}

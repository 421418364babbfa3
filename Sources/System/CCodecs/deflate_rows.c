// SPDX-License-Identifier: Apache-2.0
#include "include/deflate.h"

#include <string.h>

struct sink {
  uint8_t *out;
  uint64_t count, room;
};

static void keep(void *owner, const uint8_t *bytes, size_t count) {
  struct sink *sink = owner;
  if (count <= sink->room - sink->count) memcpy(sink->out + sink->count, bytes, count);
  else sink->room = 0;
  if (sink->room > 0) sink->count += count;
  else sink->count = 0;
}

int64_t dr_deflate_rows(uint32_t pixel, const uint8_t *bytes, uint64_t count, uint64_t row_size,
                        uint8_t *out, uint64_t room) {
  struct sink sink = {out, 0, room};
  struct dr_deflate *stream = dr_deflate_open(pixel, keep, &sink);
  if (!stream) return -1;
  for (uint64_t at = 0; at < count; at += row_size + 1) {
    uint64_t left = count - at - 1, part = left < row_size ? left : row_size;
    dr_deflate_mark(stream, bytes[at]);
    dr_deflate_add(stream, bytes + at + 1, part);
  }
  dr_deflate_finish(stream);
  dr_deflate_close(stream);
  return sink.room > 0 ? (int64_t)sink.count : -1;
}

// SPDX-License-Identifier: Apache-2.0
#include "include/deflate.h"
#include "png_codec.h"
#include "png_filter.h"

#include <stdlib.h>
#include <string.h>

// libpng writes the chunks; this code filters and compresses the rows (png_filter.c, deflate.c). libpng's
// own compressor, zlib, uses at low levels repeats that cost more than they save: at level 2 the prints of
// real photographs were 5 to 24 % larger than ImageMagick's, and the levels that avoid this take more time
// than all of libvips. Measurements: README, Figures.


static void give(png_structp codec, png_bytep bytes, size_t count) {
  struct dr_png_writer *writer = png_get_io_ptr(codec);
  struct dr_output *output = &writer->output;
  while (count > 0) {
    size_t room = DR_BUFFER - output->have;
    size_t part = count < room ? count : room;
    memcpy(output->buffer + output->have, bytes, part);
    output->have += part;
    bytes += part;
    count -= part;
    if (output->have == DR_BUFFER && dr_output_drain(output) < 0)
      png_error(codec, "writing failed");
  }
}

static void keep(png_structp codec) { (void)codec; }

static void pack(void *owner, const uint8_t *bytes, size_t count) {
  struct dr_png_writer *writer = owner;
  png_write_chunk(writer->codec, (png_const_bytep) "IDAT", bytes, count);
}

static uint8_t *row_room(struct dr_png_writer *writer) {
  uint8_t *room = calloc(1, DR_FILTER_MARGIN + writer->row_size + DR_FILTER_MARGIN);
  if (!room) png_error(writer->codec, "out of memory");
  return room;
}

static void start(struct dr_png_writer *writer, const struct dr_png_header *header) {
  png_structp codec = writer->codec;
  int channels = header->has_alpha ? 4 : 3, depth = header->depth;
  int colour = header->has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
  if (header->is_palette) colour = PNG_COLOR_TYPE_PALETTE, depth = header->index_depth;
  png_set_write_fn(codec, writer, give, keep);
  png_set_IHDR(codec, writer->info, header->width, header->height, depth, colour,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // Profiles come before the palette, so the palette is written later.
  png_write_info_before_PLTE(codec, writer->info);
  writer->width = header->width;
  writer->rows_left = header->height;
  writer->depth = header->depth;
  writer->pixel = header->is_palette ? 1 : (uint32_t)(channels * header->depth / 8);
  writer->stream = dr_deflate_open(writer->pixel, pack, writer);
  if (!writer->stream) png_error(codec, "out of memory");
  if (header->is_palette) return;
  writer->row_size = (uint64_t)header->width * writer->pixel;
  writer->row = row_room(writer);
  writer->above = row_room(writer);
}

struct dr_png_writer *dr_png_writer_open(int fd, const struct dr_png_header *header,
                                         struct dr_trouble *trouble) {
  trouble->code = 0;
  struct dr_png_writer *writer = calloc(1, sizeof *writer);
  if (!writer) {
    dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to write it");
    return NULL;
  }
  writer->output.fd = fd;
  writer->escape.trouble = trouble;
  writer->escape.output = &writer->output;
  if (setjmp(writer->escape.back)) {
    dr_png_writer_close(writer);
    return NULL;
  }
  writer->codec =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->escape, dr_png_leave, dr_png_warn);
  if (writer->codec) writer->info = png_create_info_struct(writer->codec);
  if (!writer->info) {
    dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to write it");
    dr_png_writer_close(writer);
    return NULL;
  }
  start(writer, header);
  return writer;
}

int32_t dr_png_writer_chunk(struct dr_png_writer *writer, const uint8_t name[4], uint32_t length,
                            struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  png_write_chunk_start(writer->codec, name, length);
  return 0;
}

int32_t dr_png_writer_chunk_data(struct dr_png_writer *writer, const uint8_t *bytes,
                                 uint32_t count, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  png_write_chunk_data(writer->codec, bytes, count);
  return 0;
}

int32_t dr_png_writer_chunk_end(struct dr_png_writer *writer, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  png_write_chunk_end(writer->codec);
  return 0;
}

// Converts pixels to PNG's form, without the filler. Each copy writes surplus bytes, which the next pixel
// overwrites.
static void narrow(const struct dr_png_writer *writer, const uint8_t *from, uint8_t *to) {
  uint32_t pixel = writer->pixel, wide = writer->depth == 8 ? 4 : 8;
  if (writer->depth == 8) {
    for (uint64_t x = 0; x < writer->width; x++) memcpy(to + x * pixel, from + x * wide, 4);
  } else {
    for (uint64_t x = 0; x < writer->width; x++, to += pixel) {
      uint64_t value;
      memcpy(&value, from + x * wide, sizeof value);
      if (DR_IS_LITTLE) value = dr_png_swapped(value);
      memcpy(to, &value, sizeof value);
    }
  }
}

static void write_row(struct dr_png_writer *writer, const uint8_t *pixels) {
  enum { PIECE = 3072 };
  uint8_t left[PIECE], *row = writer->row + DR_FILTER_MARGIN;
  const uint8_t *above = writer->above + DR_FILTER_MARGIN;
  narrow(writer, pixels, row);
  // A filter that suits a row suits the next one (in a former JPEG, both share their chroma), except after
  // the first row, which has no row above.
  if (writer->rows_done % 2 == 0 || writer->rows_done == 1)
    writer->filter = dr_filter_choose(row, above, writer->row_size, writer->pixel);
  dr_deflate_mark(writer->stream, (uint8_t)writer->filter);
  for (uint64_t at = 0; at < writer->row_size; at += PIECE) {
    uint64_t rest = writer->row_size - at, part = rest < PIECE ? rest : PIECE;
    dr_filter_apply(writer->filter, row, above, at, part, writer->pixel, left);
    dr_deflate_add(writer->stream, left, part);
  }
  writer->row = writer->above;
  writer->above = row - DR_FILTER_MARGIN;
}

int32_t dr_png_writer_rows(struct dr_png_writer *writer, const uint8_t *rows, uint64_t stride,
                           uint32_t count, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  for (uint32_t y = 0; y < count && writer->rows_left > 0; y++, writer->rows_left--) {
    write_row(writer, rows + stride * y);
    writer->rows_done++;
  }
  return 0;
}

int64_t dr_png_writer_finish(struct dr_png_writer *writer, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  if (writer->rows_left > 0) png_error(writer->codec, "rows are missing");
  dr_deflate_finish(writer->stream);
  png_write_chunk(writer->codec, (png_const_bytep) "IEND", NULL, 0);
  if (dr_output_drain(&writer->output) < 0) png_error(writer->codec, "writing failed");
  return (int64_t)writer->output.offset;
}

void dr_png_writer_close(struct dr_png_writer *writer) {
  if (!writer) return;
  png_destroy_write_struct(&writer->codec, &writer->info);
  if (writer->stream) dr_deflate_close(writer->stream);
  free(writer->row);
  free(writer->above);
  free(writer);
}

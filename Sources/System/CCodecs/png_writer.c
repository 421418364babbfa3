// SPDX-License-Identifier: Apache-2.0
#include "deflate.h"
#include "png_codec.h"
#include "png_filter.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct dr_png_writer {
  png_structp codec;
  png_infop info;
  struct dr_png_escape escape;
  struct dr_output output;
  // Of 8-bit pictures in many colours; else libpng filters and packs.
  struct dr_deflate *stream;
  uint8_t *above, *space, *filtered;
  uint32_t width, kept, rows_left;
};

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

// 8 bits: for each row the filter that leaves the least (png_filter.c), and a deflate of our own
// (deflate.c). zlib takes every repeat it finds at low levels, and in residuals most are worth less
// than their literals: its level 2 was 5 to 24 % larger than ImageMagick's prints of smooth
// photographs, its level 4 still 4 to 9 % for twice the time; this one is up to 7 %
// larger or 11 % smaller, for 1.2 to 1.5 times level 2's.
// Of 16 bits: the low bytes are noise in which nothing repeats; searching for repeats would cost
// half of the time and save nothing, so `average` and runs alone. Few colours repeat exactly: no
// filter, and level 4 to find them (level 6: 5 % smaller, twice the time).
static void choose(struct dr_png_writer *writer, const struct dr_png_header *header) {
  png_structp codec = writer->codec;
  if (header->depth == 16 || header->is_palette) {
    if (header->depth == 16) png_set_compression_strategy(codec, Z_RLE);
    png_set_compression_level(codec, header->depth == 16 ? 1 : 4);
    png_set_filter(codec, PNG_FILTER_TYPE_BASE,
                   header->depth == 16 ? PNG_FILTER_AVG : PNG_FILTER_NONE);
    return;
  }
  uint64_t row_size = (uint64_t)header->width * 4;
  writer->width = header->width;
  writer->kept = header->has_alpha ? 4 : 3;
  writer->rows_left = header->height;
  writer->above = calloc(1, row_size);
  writer->space = malloc(row_size);
  writer->filtered = malloc(row_size + 2);
  writer->stream = dr_deflate_open(pack, writer);
  if (!writer->above || !writer->space || !writer->filtered || !writer->stream)
    png_error(codec, "out of memory");
}

static void start(struct dr_png_writer *writer, const struct dr_png_header *header) {
  png_structp codec = writer->codec;
  png_set_write_fn(codec, writer, give, keep);
  png_set_IHDR(codec, writer->info, header->width, header->height, header->depth,
               header->has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  choose(writer, header);
  png_write_info(codec, writer->info);
  if (!header->has_alpha) png_set_filler(codec, 0, PNG_FILLER_AFTER);
  if (header->depth == 16 && DR_IS_LITTLE) png_set_swap(codec);
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

int32_t dr_png_writer_rows(struct dr_png_writer *writer, const uint8_t *rows, uint64_t stride,
                           uint32_t count, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  if (!writer->stream) {
    for (uint32_t y = 0; y < count; y++) png_write_row(writer->codec, rows + stride * y);
    return 0;
  }
  const uint8_t *above = writer->above;
  for (uint32_t y = 0; y < count && writer->rows_left > 0; y++, writer->rows_left--) {
    const uint8_t *row = rows + stride * y;
    uint64_t size = dr_png_filter(row, above, writer->width, writer->kept, writer->space,
                                  writer->filtered);
    dr_deflate_add(writer->stream, writer->filtered, size);
    if (writer->rows_left == 1) dr_deflate_finish(writer->stream);
    above = row;
  }
  if (above != writer->above) memcpy(writer->above, above, (uint64_t)writer->width * 4);
  return 0;
}

int64_t dr_png_writer_finish(struct dr_png_writer *writer, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  // libpng does not know of the rows that it did not pack, and would miss them.
  if (writer->stream && writer->rows_left > 0) png_error(writer->codec, "rows are missing");
  if (writer->stream) png_write_chunk(writer->codec, (png_const_bytep) "IEND", NULL, 0);
  else png_write_end(writer->codec, NULL);
  if (dr_output_drain(&writer->output) < 0) png_error(writer->codec, "writing failed");
  return (int64_t)writer->output.offset;
}

void dr_png_writer_close(struct dr_png_writer *writer) {
  if (!writer) return;
  png_destroy_write_struct(&writer->codec, &writer->info);
  free(writer->stream);
  free(writer->above);
  free(writer->space);
  free(writer->filtered);
  free(writer);
}

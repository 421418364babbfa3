// SPDX-License-Identifier: Apache-2.0
#include "CSamples.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct stream {
  uint8_t *bytes;
  size_t count, room, at;
};

static void give(png_structp codec, png_bytep bytes, size_t count) {
  struct stream *stream = png_get_io_ptr(codec);
  if (stream->count + count > stream->room) {
    stream->room = (stream->count + count) * 2;
    stream->bytes = realloc(stream->bytes, stream->room);
    if (!stream->bytes) abort();
  }
  memcpy(stream->bytes + stream->count, bytes, count);
  stream->count += count;
}

static void keep(png_structp codec) { (void)codec; }

static void take(png_structp codec, png_bytep bytes, size_t count) {
  struct stream *stream = png_get_io_ptr(codec);
  if (count > stream->count - stream->at) png_error(codec, "ended");
  memcpy(bytes, stream->bytes + stream->at, count);
  stream->at += count;
}

static void warn(png_structp codec, png_const_charp words) { png_error(codec, words); }

static void shape(png_structp codec, png_infop info, const struct sample_png *form) {
  png_set_IHDR(codec, info, form->width, form->height, form->depth, form->colour,
               form->is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_color palette[256];
  for (int i = 0; i < form->palette_size; i++)
    palette[i] = (png_color){form->palette[i * 3], form->palette[i * 3 + 1],
                             form->palette[i * 3 + 2]};
  if (form->palette_size) png_set_PLTE(codec, info, palette, form->palette_size);
  if (form->alpha_size)
    png_set_tRNS(codec, info, (png_const_bytep)form->alpha, form->alpha_size, NULL);
  png_color_16 key = {0, form->key[0], form->key[1], form->key[2], form->key[0]};
  if (form->has_key) png_set_tRNS(codec, info, NULL, 0, &key);
}

struct sample_bytes sample_png_write(const struct sample_png *form, const uint8_t *rows) {
  struct stream stream = {0};
  png_structp codec = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(codec);
  if (setjmp(png_jmpbuf(codec))) abort();
  png_set_write_fn(codec, &stream, give, keep);
  shape(codec, info, form);
  png_write_info(codec, info);
  int passes = png_set_interlace_handling(codec);
  size_t row_size = png_get_rowbytes(codec, info);
  for (int pass = 0; pass < passes; pass++)
    for (uint32_t y = 0; y < form->height; y++) png_write_row(codec, rows + row_size * y);
  png_write_end(codec, NULL);
  png_destroy_write_struct(&codec, &info);
  return (struct sample_bytes){stream.bytes, stream.count};
}

static void read_rows(png_structp codec, png_infop info, struct sample_picture *picture) {
  int colour = png_get_color_type(codec, info);
  picture->width = png_get_image_width(codec, info);
  picture->height = png_get_image_height(codec, info);
  picture->depth = png_get_bit_depth(codec, info);
  picture->has_alpha = (colour & PNG_COLOR_MASK_ALPHA) != 0;
  picture->components = png_get_channels(codec, info);
  picture->is_interlaced = png_get_interlace_type(codec, info) != PNG_INTERLACE_NONE;
  size_t row_size = png_get_rowbytes(codec, info);
  picture->channels = malloc((size_t)picture->width * picture->height * 8);
  uint8_t *row = malloc(row_size);
  uint16_t *to = picture->channels;
  for (uint32_t y = 0; y < picture->height; y++) {
    png_read_row(codec, row, NULL);
    for (uint32_t x = 0; x < picture->width; x++)
      for (int c = 0; c < 4; c++) {
        size_t at = (size_t)x * (size_t)picture->components + (size_t)c;
        int is_there = c < picture->components;
        if (picture->depth == 16)
          *to++ = is_there ? (uint16_t)(row[at * 2] << 8 | row[at * 2 + 1]) : 65535;
        else
          *to++ = is_there ? row[at] : 255;
      }
  }
  free(row);
}

int32_t sample_png_read(const uint8_t *bytes, size_t count, struct sample_picture *picture) {
  struct stream stream = {(uint8_t *)bytes, count, count, 0};
  memset(picture, 0, sizeof *picture);
  png_structp codec = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, warn);
  png_infop info = png_create_info_struct(codec);
  if (setjmp(png_jmpbuf(codec))) {
    png_destroy_read_struct(&codec, &info, NULL);
    free(picture->channels);
    return -1;
  }
  png_set_read_fn(codec, &stream, take);
  png_read_info(codec, info);
  // Prints are RGB, RGBA or palette pictures, not interlaced; nothing else is read.
  int colour = png_get_color_type(codec, info);
  picture->index_depth = colour == PNG_COLOR_TYPE_PALETTE ? png_get_bit_depth(codec, info) : 0;
  if (picture->index_depth) {
    png_set_palette_to_rgb(codec);
    if (png_get_valid(codec, info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(codec);
    png_read_update_info(codec, info);
  } else if (colour != PNG_COLOR_TYPE_RGB && colour != PNG_COLOR_TYPE_RGB_ALPHA)
    png_error(codec, "not a print");
  if (png_get_interlace_type(codec, info) != PNG_INTERLACE_NONE) png_error(codec, "not a print");
  read_rows(codec, info, picture);
  png_read_end(codec, NULL);
  png_destroy_read_struct(&codec, &info, NULL);
  return 0;
}

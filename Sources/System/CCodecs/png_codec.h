// SPDX-License-Identifier: Apache-2.0
// The state of the PNG reader and writer, and the way out for libpng's errors: a longjmp within C, with
// our code and libpng's words.

#ifndef DARKROOM_PNG_CODEC_H
#define DARKROOM_PNG_CODEC_H

#include "codec.h"

#include <png.h>
#include <setjmp.h>

struct dr_png_escape {
  jmp_buf back;
  struct dr_trouble *trouble;
  struct dr_input *input;    // a reader's, else NULL
  struct dr_output *output;  // a writer's, else NULL
};

struct dr_png_reader {
  png_structp codec;
  png_infop info;
  struct dr_png_escape escape;
  struct dr_input input;
  size_t taken;  // bytes of the buffer that were used
  uint32_t width, height, next;
  size_t row_size;
  int swaps;  // 16 bits per channel, on a little-endian machine
  uint8_t *image;  // a whole interlaced picture, else NULL
};

struct dr_png_writer {
  png_structp codec;
  png_infop info;
  struct dr_png_escape escape;
  struct dr_output output;
  struct dr_deflate *stream;
  uint32_t width, depth, pixel;  // bytes of a pixel in the file
  uint32_t rows_done, rows_left;
  uint64_t row_size;
  int filter;
  uint8_t *row, *above;  // in the file's form, after a margin
};

_Noreturn void dr_png_leave(png_structp codec, png_const_charp words);
void dr_png_warn(png_structp codec, png_const_charp words);

// Rows are passed in the machine's byte order.
#define DR_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

// Swaps the bytes of four 16-bit channels.
static inline uint64_t dr_png_swapped(uint64_t four) {
  return (four & 0x00FF00FF00FF00FF) << 8 | (four >> 8 & 0x00FF00FF00FF00FF);
}

#endif

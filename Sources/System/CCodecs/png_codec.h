// SPDX-License-Identifier: Apache-2.0
// What reading and writing hold, and how libpng's errors leave the library: with our code and its
// words, by longjmp, within C.

#ifndef DARKROOM_PNG_CODEC_H
#define DARKROOM_PNG_CODEC_H

#include "codec.h"

#include <png.h>
#include <setjmp.h>

struct dr_png_escape {
  jmp_buf back;
  struct dr_trouble *trouble;
  struct dr_input *input;    // of a reader, else NULL
  struct dr_output *output;  // of a writer, else NULL
};

struct dr_png_reader {
  png_structp codec;
  png_infop info;
  struct dr_png_escape escape;
  struct dr_input input;
  size_t taken;  // of what is in the buffer
  uint32_t width, height, next;
  size_t row_size;
  int swaps;  // 16 bits a channel, and the other byte first here
  uint8_t *image;  // of an interlaced picture
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
  uint8_t *row, *above;  // as they are in the file, behind a margin
};

_Noreturn void dr_png_leave(png_structp codec, png_const_charp words);
void dr_png_warn(png_structp codec, png_const_charp words);

// Rows travel in the machine's own byte order.
#define DR_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

// Four channels of 16 bits with the other byte first.
static inline uint64_t dr_png_swapped(uint64_t four) {
  return (four & 0x00FF00FF00FF00FF) << 8 | (four >> 8 & 0x00FF00FF00FF00FF);
}

#endif

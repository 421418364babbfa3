// SPDX-License-Identifier: Apache-2.0
// How libpng's errors leave the library: with our code and its words, by longjmp, within C.

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

_Noreturn void dr_png_leave(png_structp codec, png_const_charp words);
void dr_png_warn(png_structp codec, png_const_charp words);

// Rows travel in the machine's own byte order.
#define DR_IS_LITTLE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

#endif

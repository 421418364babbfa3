// SPDX-License-Identifier: Apache-2.0
// Shared by the JPEG reader and writer: the writer takes sampling and tables from the reader.

#ifndef DARKROOM_JPEG_CODEC_H
#define DARKROOM_JPEG_CODEC_H

#include "codec.h"

#include <setjmp.h>
#include <stdio.h>
// jpeglib.h needs stdio.h first.
#include <jpeglib.h>

struct dr_jpeg_escape {
  struct jpeg_error_mgr base;  // first: libjpeg hands us a pointer to it
  jmp_buf back;
  struct dr_trouble *trouble;
  struct dr_input *input;    // a reader's, else NULL
  struct dr_output *output;  // a writer's, else NULL
};

struct dr_jpeg_reader {
  struct jpeg_decompress_struct codec;
  struct dr_jpeg_escape escape;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  struct dr_input input;
  uint32_t scans;
  int is_inverted;
};

// Read or write one band of interleaved units: eight rows of the coarsest component. -1 on trouble.
int dr_jpeg_reader_band(struct dr_jpeg_reader *reader, JSAMPIMAGE band, struct dr_trouble *trouble);
int dr_jpeg_writer_band(struct dr_jpeg_writer *writer, JSAMPIMAGE band, struct dr_trouble *trouble);

struct jpeg_error_mgr *dr_jpeg_escape_prepare(struct dr_jpeg_escape *escape);

#endif

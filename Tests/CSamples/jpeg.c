// SPDX-License-Identifier: Apache-2.0
#include "CSamples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// jpeglib.h needs stdio.h first.
#include <jpeglib.h>
#include <setjmp.h>

struct escape {
  struct jpeg_error_mgr base;
  jmp_buf back;
};

static void leave(j_common_ptr codec) { longjmp(((struct escape *)codec->err)->back, 1); }
static void warn(j_common_ptr codec, int level) {
  if (level < 0) leave(codec);
}
static void stop(j_common_ptr codec) {
  codec->err->output_message(codec);
  abort();
}

static void shape(j_compress_ptr codec, const struct sample_jpeg *form) {
  jpeg_set_defaults(codec);
  if (form->components == 4) jpeg_set_colorspace(codec, form->is_ycck ? JCS_YCCK : JCS_CMYK);
  if (form->is_rgb) jpeg_set_colorspace(codec, JCS_RGB);
  if (form->components == 4) codec->write_Adobe_marker = form->has_inverse || form->is_ycck;
  jpeg_set_quality(codec, form->quality, TRUE);
  for (int i = 0; i < codec->num_components; i++) {
    int is_luma = i == 0 || i == 3;
    codec->comp_info[i].h_samp_factor = is_luma ? form->across : 1;
    codec->comp_info[i].v_samp_factor = is_luma ? form->down : 1;
  }
  codec->arith_code = form->is_arithmetic;
  codec->restart_in_rows = form->restart_rows;
  if (form->is_progressive) jpeg_simple_progression(codec);
}

struct sample_bytes sample_jpeg_write(const struct sample_jpeg *form, const uint8_t *pixels) {
  struct jpeg_compress_struct codec;
  struct jpeg_error_mgr error;
  jpeg_scan_info scans[4];
  unsigned char *bytes = NULL;
  unsigned long count = 0;
  codec.err = jpeg_std_error(&error);
  error.error_exit = stop;
  jpeg_create_compress(&codec);
  jpeg_mem_dest(&codec, &bytes, &count);
  codec.image_width = form->width;
  codec.image_height = form->height;
  codec.input_components = form->components;
  codec.in_color_space =
      form->components == 1 ? JCS_GRAYSCALE : form->components == 3 ? JCS_RGB : JCS_CMYK;
  shape(&codec, form);
  if (form->is_split) {
    memset(scans, 0, sizeof scans);
    for (int i = 0; i < codec.num_components; i++) {
      scans[i].comps_in_scan = 1;
      scans[i].component_index[0] = i;
      scans[i].Se = DCTSIZE2 - 1;
    }
    codec.scan_info = scans;
    codec.num_scans = codec.num_components;
  }
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < codec.image_height) {
    JSAMPROW row = (JSAMPROW)pixels +
                   (size_t)codec.next_scanline * form->width * (size_t)form->components;
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  return (struct sample_bytes){bytes, count};
}

static void note(j_decompress_ptr codec, struct sample_picture *picture) {
  picture->width = codec->output_width;
  picture->height = codec->output_height;
  picture->depth = 8;
  picture->components = codec->num_components;
  picture->is_progressive = codec->progressive_mode;
  for (int i = 0; i < codec->num_components && i < 4; i++) {
    const jpeg_component_info *part = codec->comp_info + i;
    picture->across[i] = part->h_samp_factor;
    picture->down[i] = part->v_samp_factor;
    memcpy(picture->tables[i], codec->quant_tbl_ptrs[part->quant_tbl_no]->quantval,
           sizeof picture->tables[i]);
  }
}

int32_t sample_jpeg_read(const uint8_t *bytes, size_t count, struct sample_picture *picture) {
  struct jpeg_decompress_struct codec;
  struct escape escape;
  memset(picture, 0, sizeof *picture);
  codec.err = jpeg_std_error(&escape.base);
  escape.base.error_exit = leave;
  escape.base.emit_message = warn;
  jpeg_create_decompress(&codec);
  if (setjmp(escape.back)) {
    jpeg_destroy_decompress(&codec);
    free(picture->channels);
    return -1;
  }
  jpeg_mem_src(&codec, bytes, count);
  jpeg_read_header(&codec, TRUE);
  codec.out_color_space = JCS_RGB;
  jpeg_start_decompress(&codec);
  note(&codec, picture);
  picture->channels = malloc((size_t)picture->width * picture->height * 8);
  uint8_t *row = (*codec.mem->alloc_large)((j_common_ptr)&codec, JPOOL_IMAGE, picture->width * 3);
  uint16_t *to = picture->channels;
  while (codec.output_scanline < codec.output_height) {
    jpeg_read_scanlines(&codec, &row, 1);
    for (uint32_t x = 0; x < picture->width; x++, to += 4) {
      for (int c = 0; c < 3; c++) to[c] = row[x * 3 + c];
      to[3] = 255;
    }
  }
  jpeg_finish_decompress(&codec);
  jpeg_destroy_decompress(&codec);
  return 0;
}

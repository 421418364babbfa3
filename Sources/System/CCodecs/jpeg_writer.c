// SPDX-License-Identifier: Apache-2.0
#include "jpeg_codec.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

struct dr_jpeg_writer {
  struct jpeg_compress_struct codec;
  struct dr_jpeg_escape escape;
  struct jpeg_destination_mgr target;
  struct dr_output output;
};

static void begin(j_compress_ptr codec) {
  struct dr_jpeg_writer *writer = (struct dr_jpeg_writer *)codec->client_data;
  writer->target.next_output_byte = writer->output.buffer;
  writer->target.free_in_buffer = DR_BUFFER;
}

// libjpeg calls this when the buffer is full; its counters then have no meaning.
static boolean empty(j_compress_ptr codec) {
  struct dr_jpeg_writer *writer = (struct dr_jpeg_writer *)codec->client_data;
  writer->output.have = DR_BUFFER;
  if (dr_output_drain(&writer->output) < 0) ERREXIT(codec, JERR_FILE_WRITE);
  begin(codec);
  return TRUE;
}

static void end(j_compress_ptr codec) {
  struct dr_jpeg_writer *writer = (struct dr_jpeg_writer *)codec->client_data;
  writer->output.have = DR_BUFFER - writer->target.free_in_buffer;
  if (dr_output_drain(&writer->output) < 0) ERREXIT(codec, JERR_FILE_WRITE);
}

// A baseline table has one byte per entry; an entry of zero, which some files have, would divide by zero.
static void copy_table(j_compress_ptr codec, int slot, const JQUANT_TBL *from) {
  if (codec->quant_tbl_ptrs[slot] == NULL)
    codec->quant_tbl_ptrs[slot] = jpeg_alloc_quant_table((j_common_ptr)codec);
  JQUANT_TBL *to = codec->quant_tbl_ptrs[slot];
  for (int i = 0; i < DCTSIZE2; i++) {
    UINT16 value = from->quantval[i];
    to->quantval[i] = value < 1 ? 1 : value > 255 ? 255 : value;
  }
  to->sent_table = FALSE;
}

static const JQUANT_TBL *table(j_decompress_ptr like, int component) {
  const jpeg_component_info *part = like->comp_info + component;
  return part->quant_table ? part->quant_table : like->quant_tbl_ptrs[part->quant_tbl_no];
}

static void take_tables(j_compress_ptr codec, j_decompress_ptr like) {
  int is_light = like->jpeg_color_space == JCS_YCbCr || like->jpeg_color_space == JCS_YCCK;
  for (int i = 0; i < 3; i++) {
    const JQUANT_TBL *from = table(like, is_light ? i : 0);
    if (!from) continue;
    copy_table(codec, i, from);
    codec->comp_info[i].quant_tbl_no = i;
    if (i > 0 && memcmp(codec->quant_tbl_ptrs[i]->quantval,
                        codec->quant_tbl_ptrs[i - 1]->quantval, sizeof from->quantval) == 0)
      codec->comp_info[i].quant_tbl_no = codec->comp_info[i - 1].quant_tbl_no;
  }
}

// Keeps the source's chroma sampling; grey, RGB and CMYK sources have no coarser chroma.
static void take_sampling(j_compress_ptr codec, j_decompress_ptr like) {
  int is_light = like->jpeg_color_space == JCS_YCbCr || like->jpeg_color_space == JCS_YCCK;
  int blocks = 0;
  for (int i = 0; i < 3; i++) {
    codec->comp_info[i].h_samp_factor = is_light ? like->comp_info[i].h_samp_factor : 1;
    codec->comp_info[i].v_samp_factor = is_light ? like->comp_info[i].v_samp_factor : 1;
    blocks += codec->comp_info[i].h_samp_factor * codec->comp_info[i].v_samp_factor;
  }
  // Legal in a file with one component per scan, but not in the single interleaved scan written here.
  if (blocks > C_MAX_BLOCKS_IN_MCU)
    for (int i = 0; i < 3; i++)
      codec->comp_info[i].h_samp_factor = codec->comp_info[i].v_samp_factor = 1;
}

static void prepare(j_compress_ptr codec, j_decompress_ptr like, int quality) {
  codec->image_width = like->image_width;
  codec->image_height = like->image_height;
  codec->input_components = like->raw_data_out ? 3 : 4;
  codec->in_color_space = like->raw_data_out ? JCS_YCbCr : JCS_EXT_RGBX;
  jpeg_set_defaults(codec);
  jpeg_set_colorspace(codec, JCS_YCbCr);
  codec->raw_data_in = like->raw_data_out;
  take_sampling(codec, like);
  if (quality > 0)
    jpeg_set_quality(codec, quality, TRUE);
  else
    take_tables(codec, like);
  codec->write_Adobe_marker = FALSE;
  codec->write_JFIF_header = like->saw_JFIF_marker;
  codec->density_unit = like->density_unit;
  codec->X_density = like->X_density;
  codec->Y_density = like->Y_density;
  jpeg_start_compress(codec, TRUE);
}

static struct dr_jpeg_writer *make(int fd, struct dr_trouble *trouble) {
  struct dr_jpeg_writer *writer = calloc(1, sizeof *writer);
  trouble->code = 0;
  if (!writer) {
    dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to write it");
    return NULL;
  }
  writer->output.fd = fd;
  writer->escape.trouble = trouble;
  writer->escape.output = &writer->output;
  writer->codec.err = dr_jpeg_escape_prepare(&writer->escape);
  return writer;
}

// Only where an error can leave: it allocates.
static void create(struct dr_jpeg_writer *writer) {
  jpeg_create_compress(&writer->codec);
  writer->codec.client_data = writer;
  writer->target.init_destination = begin;
  writer->target.empty_output_buffer = empty;
  writer->target.term_destination = end;
  writer->codec.dest = &writer->target;
}

struct dr_jpeg_writer *dr_jpeg_writer_open(int fd, struct dr_jpeg_reader *like, int32_t quality,
                                           struct dr_trouble *trouble) {
  struct dr_jpeg_writer *writer = make(fd, trouble);
  if (!writer) return NULL;
  if (setjmp(writer->escape.back)) {
    dr_jpeg_writer_close(writer);
    return NULL;
  }
  create(writer);
  prepare(&writer->codec, &like->codec, quality);
  return writer;
}

struct dr_jpeg_writer *dr_jpeg_writer_open_thumbnail(int fd, const struct dr_thumbnail *thumbnail,
                                                     int32_t quality, struct dr_trouble *trouble) {
  struct dr_jpeg_writer *writer = make(fd, trouble);
  if (!writer) return NULL;
  if (setjmp(writer->escape.back)) {
    dr_jpeg_writer_close(writer);
    return NULL;
  }
  create(writer);
  struct dr_thumbnail_form form = dr_thumbnail_form(thumbnail);
  writer->codec.image_width = form.width;
  writer->codec.image_height = form.height;
  writer->codec.input_components = 3;
  writer->codec.in_color_space = form.is_light ? JCS_YCbCr : JCS_RGB;
  jpeg_set_defaults(&writer->codec);
  jpeg_set_quality(&writer->codec, quality, TRUE);
  jpeg_start_compress(&writer->codec, TRUE);
  return writer;
}

int32_t dr_jpeg_writer_thumbnail(struct dr_jpeg_writer *writer,
                                 const struct dr_thumbnail *thumbnail, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  while (writer->codec.next_scanline < writer->codec.image_height) {
    JSAMPROW row = (JSAMPROW)dr_thumbnail_row(thumbnail, writer->codec.next_scanline);
    jpeg_write_scanlines(&writer->codec, &row, 1);
  }
  return 0;
}

int32_t dr_jpeg_writer_marker(struct dr_jpeg_writer *writer, int32_t marker, const uint8_t *bytes,
                              uint32_t count, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  jpeg_write_marker(&writer->codec, marker, bytes, count);
  return 0;
}

int32_t dr_jpeg_writer_rows(struct dr_jpeg_writer *writer, const uint8_t *rows, uint64_t stride,
                            uint32_t count, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  for (uint32_t done = 0; done < count;) {
    JSAMPROW lines[16];
    uint32_t wanted = count - done < 16 ? count - done : 16;
    // libjpeg's interface lacks const; it does not write here.
    for (uint32_t i = 0; i < wanted; i++) lines[i] = (JSAMPROW)(rows + stride * (done + i));
    done += jpeg_write_scanlines(&writer->codec, lines, wanted);
  }
  return 0;
}

int dr_jpeg_writer_band(struct dr_jpeg_writer *writer, JSAMPIMAGE band,
                        struct dr_trouble *trouble) {
  j_compress_ptr codec = &writer->codec;
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  jpeg_write_raw_data(codec, band, (JDIMENSION)codec->max_v_samp_factor * DCTSIZE);
  return 0;
}

int64_t dr_jpeg_writer_finish(struct dr_jpeg_writer *writer, struct dr_trouble *trouble) {
  trouble->code = 0;
  writer->escape.trouble = trouble;
  if (setjmp(writer->escape.back)) return -1;
  jpeg_finish_compress(&writer->codec);
  return (int64_t)writer->output.offset;
}

void dr_jpeg_writer_close(struct dr_jpeg_writer *writer) {
  if (!writer) return;
  jpeg_destroy_compress(&writer->codec);
  free(writer);
}

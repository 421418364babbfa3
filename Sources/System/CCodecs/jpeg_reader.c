// SPDX-License-Identifier: Apache-2.0
#include "jpeg_codec.h"

#include <jerror.h>
#include <stdlib.h>
#include <string.h>

static void nothing(j_decompress_ptr codec) { (void)codec; }

// At the end of the file this raises an error; libjpeg's own source would insert an end marker.
static boolean fill(j_decompress_ptr codec) {
  struct dr_jpeg_reader *reader = (struct dr_jpeg_reader *)codec->client_data;
  long count = dr_input_fill(&reader->input);
  if (count == 0)
    dr_codec_say(reader->escape.trouble, DR_CODEC_TRUNCATED, "the file ends before the picture does");
  if (count <= 0) ERREXIT(codec, JERR_INPUT_EOF);
  reader->source.next_input_byte = reader->input.buffer;
  reader->source.bytes_in_buffer = reader->input.have;
  return TRUE;
}

static void skip(j_decompress_ptr codec, long count) {
  struct dr_jpeg_reader *reader = (struct dr_jpeg_reader *)codec->client_data;
  if (count <= 0) return;
  if ((size_t)count <= reader->source.bytes_in_buffer) {
    reader->source.next_input_byte += count;
    reader->source.bytes_in_buffer -= (size_t)count;
    return;
  }
  reader->input.offset += (uint64_t)count - reader->source.bytes_in_buffer;
  reader->source.bytes_in_buffer = 0;
}

static void watch(j_common_ptr common) {
  j_decompress_ptr codec = (j_decompress_ptr)common;
  struct dr_jpeg_reader *reader = (struct dr_jpeg_reader *)codec->client_data;
  if ((uint32_t)codec->input_scan_number <= reader->scans) return;
  dr_codec_say(reader->escape.trouble, DR_CODEC_SCANS, "it has more than %u scans", reader->scans);
  ERREXIT(codec, JERR_INPUT_EOF);
}

// The memory that the picture's form requires: always a few bands of rows, and with several scans the
// coefficients of the whole picture.
static uint64_t memory(j_decompress_ptr codec) {
  uint64_t sum = (uint64_t)codec->image_width * 256 + (1 << 20);
  if (!jpeg_has_multiple_scans(codec)) return sum;
  for (int i = 0; i < codec->num_components; i++) {
    const jpeg_component_info *part = codec->comp_info + i;
    // Rounded up: libjpeg holds a whole number of interleaved units.
    uint64_t across = ((uint64_t)part->width_in_blocks + 4) * DCTSIZE;
    uint64_t down = ((uint64_t)part->height_in_blocks + 4) * DCTSIZE;
    sum += across * down * sizeof(JCOEF);
  }
  return sum;
}

static int is_within(struct dr_jpeg_reader *reader, const struct dr_codec_limits *limits) {
  j_decompress_ptr codec = &reader->codec;
  struct dr_trouble *trouble = reader->escape.trouble;
  if (!dr_codec_admit(codec->image_width, codec->image_height, limits, trouble)) return 0;
  uint64_t needed = memory(codec);
  if (needed > limits->memory) {
    dr_codec_say(trouble, DR_CODEC_MEMORY, "%s needs %llu MiB of memory; the limit is %llu MiB",
           codec->progressive_mode ? "a progressive picture of this size" : "it",
           (unsigned long long)(needed >> 20) + 1, (unsigned long long)(limits->memory >> 20));
    return 0;
  }
  return 1;
}

// A file cut between two scans and closed with an end marker decodes without a warning, only coarser: this
// function detects it.
//
// One damage of arithmetic coding cannot be detected: the standard lets an encoder omit zeros at the end of a
// scan, so a scan that stops early before a forged end marker decodes as a flat rest. A file that simply
// ends has no end marker and fails like any other.
static int is_whole(j_decompress_ptr codec) {
  if (!jpeg_has_multiple_scans(codec)) return 1;
  for (int i = 0; i < codec->num_components; i++) {
    if (codec->comp_info[i].quant_table == NULL) return 0;
    if (!codec->progressive_mode) continue;
    for (int k = 0; k < DCTSIZE2; k++)
      if (codec->coef_bits[i][k] != 0) return 0;
  }
  return 1;
}

// Accepts the samplings that cameras use. Small pictures gain nothing, and in them a coefficient that is
// rounded differently matters more.
static int suits_planes(j_decompress_ptr codec) {
  if (codec->jpeg_color_space != JCS_YCbCr || codec->num_components != 3) return 0;
  const jpeg_component_info *parts = codec->comp_info;
  for (int i = 1; i < 3; i++)
    if (parts[i].h_samp_factor != 1 || parts[i].v_samp_factor != 1) return 0;
  int across = parts->h_samp_factor, down = parts->v_samp_factor;
  if ((uint64_t)codec->image_width * codec->image_height < 1 << 16) return 0;
  // libjpeg interpolates chroma of two columns or fewer differently.
  if (codec->image_width <= 2 * (JDIMENSION)across) return 0;
  return (across <= 2 && down <= 2) || (across == 4 && down == 1);
}

static int start(struct dr_jpeg_reader *reader, const struct dr_codec_limits *limits,
                 int wants_planes, struct dr_jpeg_header *header) {
  j_decompress_ptr codec = &reader->codec;
  jpeg_read_header(codec, TRUE);
  if (!is_within(reader, limits)) return 0;
  switch (codec->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB:
      codec->out_color_space = JCS_EXT_RGBX;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      codec->out_color_space = JCS_CMYK;
      break;
    default:
      dr_codec_say(reader->escape.trouble, DR_CODEC_UNSUPPORTED,
             "its %d components are in an unknown colour space", codec->num_components);
      return 0;
  }
  header->width = codec->image_width;
  header->height = codec->image_height;
  header->has_planes = wants_planes && suits_planes(codec);
  codec->raw_data_out = header->has_planes;
  if (header->has_planes) codec->out_color_space = JCS_YCbCr;
  reader->is_inverted = codec->saw_Adobe_marker != 0;
  codec->mem->max_memory_to_use = (long)limits->memory;
  jpeg_start_decompress(codec);
  if (!is_whole(codec)) {
    dr_codec_say(reader->escape.trouble, DR_CODEC_TRUNCATED, "its last scans are missing");
    return 0;
  }
  return 1;
}

struct dr_jpeg_reader *dr_jpeg_reader_open(int fd, const struct dr_codec_limits *limits,
                                           int32_t wants_planes, struct dr_jpeg_header *header,
                                           struct dr_trouble *trouble) {
  struct dr_jpeg_reader *reader = calloc(1, sizeof *reader);
  trouble->code = 0;
  if (!reader) {
    dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to read it");
    return NULL;
  }
  reader->input.fd = fd;
  reader->scans = limits->scans;
  reader->escape.trouble = trouble;
  reader->escape.input = &reader->input;
  reader->codec.err = dr_jpeg_escape_prepare(&reader->escape);
  if (setjmp(reader->escape.back)) {
    dr_jpeg_reader_close(reader);
    return NULL;
  }
  jpeg_create_decompress(&reader->codec);
  reader->codec.client_data = reader;
  reader->source.init_source = nothing;
  reader->source.fill_input_buffer = fill;
  reader->source.skip_input_data = skip;
  reader->source.resync_to_restart = jpeg_resync_to_restart;
  reader->source.term_source = nothing;
  reader->codec.src = &reader->source;
  reader->progress.progress_monitor = watch;
  reader->codec.progress = &reader->progress;
  if (start(reader, limits, wants_planes, header)) return reader;
  dr_jpeg_reader_close(reader);
  return NULL;
}

// Converts four inks to light: a colour is the light that its ink and the black let through. Adobe stores
// the inverse of ink, which is already light.
static void inks_to_light(uint8_t *row, uint32_t width, int is_inverted) {
  uint32_t flip = is_inverted ? 0 : 255;
  for (uint32_t x = 0; x < width; x++, row += 4) {
    uint32_t black = row[3] ^ flip;
    for (int i = 0; i < 3; i++) row[i] = (uint8_t)(((row[i] ^ flip) * black + 127) / 255);
    row[3] = 255;
  }
}

int32_t dr_jpeg_reader_rows(struct dr_jpeg_reader *reader, uint8_t *rows, uint64_t stride,
                            uint32_t count, struct dr_trouble *trouble) {
  j_decompress_ptr codec = &reader->codec;
  JDIMENSION start = codec->output_scanline;
  trouble->code = 0;
  reader->escape.trouble = trouble;
  if (setjmp(reader->escape.back)) return -1;
  while (codec->output_scanline < codec->output_height &&
         codec->output_scanline - start < count) {
    JSAMPROW lines[16];
    uint32_t done = codec->output_scanline - start;
    uint32_t wanted = count - done < 16 ? count - done : 16;
    for (uint32_t i = 0; i < wanted; i++) lines[i] = rows + stride * (done + i);
    uint32_t got = jpeg_read_scanlines(codec, lines, wanted);
    if (codec->out_color_space == JCS_CMYK)
      for (uint32_t i = 0; i < got; i++)
        inks_to_light(lines[i], codec->output_width, reader->is_inverted);
  }
  return (int32_t)(codec->output_scanline - start);
}

int dr_jpeg_reader_band(struct dr_jpeg_reader *reader, JSAMPIMAGE band,
                        struct dr_trouble *trouble) {
  j_decompress_ptr codec = &reader->codec;
  trouble->code = 0;
  reader->escape.trouble = trouble;
  if (setjmp(reader->escape.back)) return -1;
  jpeg_read_raw_data(codec, band, (JDIMENSION)codec->max_v_samp_factor * DCTSIZE);
  return 0;
}

int32_t dr_jpeg_reader_finish(struct dr_jpeg_reader *reader, struct dr_trouble *trouble) {
  trouble->code = 0;
  reader->escape.trouble = trouble;
  if (setjmp(reader->escape.back)) return -1;
  jpeg_finish_decompress(&reader->codec);
  return 0;
}

void dr_jpeg_reader_close(struct dr_jpeg_reader *reader) {
  if (!reader) return;
  jpeg_destroy_decompress(&reader->codec);
  free(reader);
}

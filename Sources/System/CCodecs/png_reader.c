// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "png_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dr_png_leave(png_structp codec, png_const_charp words) {
  struct dr_png_escape *escape = png_get_error_ptr(codec);
  // A trouble that our own code has set stays.
  if (escape->trouble->code == 0) {
    if (escape->input && escape->input->system)
      dr_say_system(escape->trouble, DR_CODEC_READ, escape->input->system);
    else if (escape->output && escape->output->system)
      dr_say_system(escape->trouble, DR_CODEC_WRITE, escape->output->system);
    else if (strcasestr(words, "out of memory") || strcasestr(words, "insufficient memory"))
      dr_codec_say(escape->trouble, DR_CODEC_MEMORY, "it needs more memory than is allowed");
    else
      dr_codec_say(escape->trouble, DR_CODEC_DAMAGED, "%s", words);
  }
  longjmp(escape->back, 1);
}

// libpng's warnings concern data that it still read correctly. Data that it had to guess is a benign
// error; `set_limits` makes these real errors.
void dr_png_warn(png_structp codec, png_const_charp words) {
  (void)codec;
  (void)words;
}

static void take(png_structp codec, png_bytep bytes, size_t count) {
  struct dr_png_reader *reader = png_get_io_ptr(codec);
  while (count > 0) {
    size_t left = reader->input.have - reader->taken;
    if (left == 0) {
      long got = dr_input_fill(&reader->input);
      if (got == 0)
        dr_codec_say(reader->escape.trouble, DR_CODEC_TRUNCATED, "the file ends before the picture does");
      if (got <= 0) png_error(codec, "reading failed");
      reader->taken = 0;
      continue;
    }
    size_t part = count < left ? count : left;
    memcpy(bytes, reader->input.buffer + reader->taken, part);
    reader->taken += part;
    bytes += part;
    count -= part;
  }
}

// libpng would skip chunks in front of the header, so that a size at a fixed offset could be another than the one it reads.
static int begins_with_header(int fd, struct dr_trouble *trouble) {
  static const uint8_t header[8] = {0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  uint8_t head[33];
  ssize_t count;
  do count = pread(fd, head, sizeof head, 0);
  while (count < 0 && errno == EINTR);
  if (count < 0) {
    dr_say_system(trouble, DR_CODEC_READ, errno);
    return 0;
  }
  if (count < (ssize_t)sizeof head) {
    dr_codec_say(trouble, DR_CODEC_TRUNCATED, "the file ends within its header");
    return 0;
  }
  if (memcmp(head + 8, header, sizeof header) == 0) return 1;
  dr_codec_say(trouble, DR_CODEC_DAMAGED, "its first chunk is not its header (IHDR)");
  return 0;
}

// The checksums of ancillary chunks are verified, and the chunks are discarded unparsed; other code copies
// those that the print keeps. tRNS is read: it is part of the picture.
static void set_limits(png_structp codec) {
  // `dr_codec_admit` judges the sides, in words.
  png_set_user_limits(codec, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_cache_max(codec, 128);
  // libpng holds none in memory, so none is too long for it; other code limits the copied ones.
  png_set_chunk_malloc_max(codec, 0);
  png_set_keep_unknown_chunks(codec, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_crc_action(codec, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_benign_errors(codec, 0);
}

// Pixels of a palette stay indices; all others become four channels of 8 or 16 bits.
static void describe(struct dr_png_reader *reader, struct dr_png_header *header) {
  png_structp codec = reader->codec;
  png_infop info = reader->info;
  int colour = png_get_color_type(codec, info);
  int depth = png_get_bit_depth(codec, info);
  int has_mask = png_get_valid(codec, info, PNG_INFO_tRNS) != 0;
  header->width = png_get_image_width(codec, info);
  header->height = png_get_image_height(codec, info);
  header->depth = depth == 16 ? 16 : 8;
  header->has_alpha = has_mask || (colour & PNG_COLOR_MASK_ALPHA) != 0;
  header->is_grey = (colour & PNG_COLOR_MASK_COLOR) == 0;
  header->is_palette = colour == PNG_COLOR_TYPE_PALETTE;
  header->is_interlaced = png_get_interlace_type(codec, info) != PNG_INTERLACE_NONE;
  header->index_depth = header->is_palette ? (uint8_t)depth : 0;
  if (header->is_palette) return;
  png_set_expand(codec);
  if (header->is_grey) png_set_gray_to_rgb(codec);
  if (!header->has_alpha) png_set_filler(codec, 0xFFFF, PNG_FILLER_AFTER);
}

static void read_interlaced(struct dr_png_reader *reader, int passes) {
  for (int pass = 0; pass < passes; pass++)
    for (uint32_t y = 0; y < reader->height; y++)
      png_read_row(reader->codec, reader->image + reader->row_size * y, NULL);
}

static int start(struct dr_png_reader *reader, const struct dr_codec_limits *limits,
                 struct dr_png_header *header) {
  png_structp codec = reader->codec;
  set_limits(codec);
  png_set_read_fn(codec, reader, take);
  png_read_info(codec, reader->info);
  if (!dr_codec_admit(png_get_image_width(codec, reader->info),
                      png_get_image_height(codec, reader->info), limits, reader->escape.trouble))
    return 0;
  describe(reader, header);
  uint64_t bits = header->is_palette ? header->index_depth : 4 * header->depth;
  uint64_t row = (header->width * bits + 7) / 8;
  uint64_t needed = row * 5 + (2 << 20);  // rows of reader, band and writer, and the deflate
  if (header->is_interlaced) needed += row * header->height;
  if (needed > limits->memory) {
    dr_codec_say(reader->escape.trouble, DR_CODEC_MEMORY,
           "%s needs %llu MiB of memory; the limit is %llu MiB",
           header->is_interlaced ? "an interlaced picture of this size" : "it",
           (unsigned long long)(needed >> 20) + 1, (unsigned long long)(limits->memory >> 20));
    return 0;
  }
  int passes = png_set_interlace_handling(codec);
  png_read_update_info(codec, reader->info);
  reader->width = header->width;
  reader->height = header->height;
  reader->row_size = (size_t)row;
  reader->swaps = header->depth == 16 && DR_IS_LITTLE;
  if (png_get_rowbytes(codec, reader->info) != row)
    png_error(codec, "its rows are not as long as its header says");
  if (!header->is_interlaced) return 1;
  // libpng leaves the bits behind the last pixel of a row as they are, and those of a palette go into the print.
  reader->image = calloc(reader->height, reader->row_size);
  if (!reader->image) png_error(codec, "out of memory");
  read_interlaced(reader, passes);
  return 1;
}

struct dr_png_reader *dr_png_reader_open(int fd, const struct dr_codec_limits *limits,
                                         struct dr_png_header *header, struct dr_trouble *trouble) {
  trouble->code = 0;
  if (!begins_with_header(fd, trouble)) return NULL;
  struct dr_png_reader *reader = calloc(1, sizeof *reader);
  if (!reader) {
    dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to read it");
    return NULL;
  }
  reader->input.fd = fd;
  reader->escape.trouble = trouble;
  reader->escape.input = &reader->input;
  if (setjmp(reader->escape.back)) {
    dr_png_reader_close(reader);
    return NULL;
  }
  reader->codec =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->escape, dr_png_leave, dr_png_warn);
  if (reader->codec) reader->info = png_create_info_struct(reader->codec);
  if (!reader->info) dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to read it");
  if (reader->info && start(reader, limits, header)) return reader;
  dr_png_reader_close(reader);
  return NULL;
}

// Converts 16-bit channels to this machine's byte order. libpng swaps them one by one; here the compiler
// swaps many at a time.
static void swap(uint8_t *row, uint64_t size) {
  for (uint64_t at = 0; at < size; at += 8) {
    uint64_t value;
    memcpy(&value, row + at, sizeof value);
    value = dr_png_swapped(value);
    memcpy(row + at, &value, sizeof value);
  }
}

int32_t dr_png_reader_rows(struct dr_png_reader *reader, uint8_t *rows, uint64_t stride,
                           uint32_t count, struct dr_trouble *trouble) {
  uint32_t first = reader->next;
  trouble->code = 0;
  reader->escape.trouble = trouble;
  if (setjmp(reader->escape.back)) return -1;
  for (; reader->next < reader->height && reader->next - first < count; reader->next++) {
    uint8_t *row = rows + stride * (reader->next - first);
    if (reader->image)
      memcpy(row, reader->image + reader->row_size * reader->next, reader->row_size);
    else
      png_read_row(reader->codec, row, NULL);
    if (reader->swaps) swap(row, reader->row_size);
  }
  return (int32_t)(reader->next - first);
}

int32_t dr_png_reader_finish(struct dr_png_reader *reader, struct dr_trouble *trouble) {
  trouble->code = 0;
  reader->escape.trouble = trouble;
  if (setjmp(reader->escape.back)) return -1;
  png_read_end(reader->codec, NULL);
  return 0;
}

void dr_png_reader_close(struct dr_png_reader *reader) {
  if (!reader) return;
  png_destroy_read_struct(&reader->codec, &reader->info, NULL);
  free(reader->image);
  free(reader);
}

// SPDX-License-Identifier: Apache-2.0
#include "include/deflate.h"
#include "png_codec.h"
#include "thumbnail.h"

#include <stdlib.h>
#include <string.h>

enum { COLOURS = 256 };

// Writes the palette as a chunk; returns the number of its colours. `shown` gets them over white.
static int put_palette(struct dr_png_reader *reader, struct dr_png_writer *writer,
                       const struct dr_matrix *matrix, uint8_t shown[COLOURS * 4]) {
  png_colorp palette = NULL;
  png_bytep alpha = NULL;
  int count = 0, alphas = 0;
  uint8_t wide[COLOURS * 4] = {0}, narrow[COLOURS * 3];
  png_get_PLTE(reader->codec, reader->info, &palette, &count);
  png_get_tRNS(reader->codec, reader->info, &alpha, &alphas, NULL);
  for (int i = 0; i < count; i++)
    wide[i * 4] = palette[i].red, wide[i * 4 + 1] = palette[i].green,
                      wide[i * 4 + 2] = palette[i].blue;
  dr_matrix_apply8(matrix, wide, (uint64_t)count);
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) narrow[i * 3 + c] = wide[i * 4 + c];
  png_write_chunk(writer->codec, (png_const_bytep) "PLTE", narrow, (size_t)count * 3);
  for (int i = 0; i < COLOURS; i++) wide[i * 4 + 3] = i < alphas ? alpha[i] : 255;
  memcpy(shown, wide, sizeof wide);
  dr_thumbnail_flatten(shown);
  if (alphas > 0) png_write_chunk(writer->codec, (png_const_bytep) "tRNS", alpha, (size_t)alphas);
  return count;
}

// The largest index of a row.
static int largest(const uint8_t *row, uint32_t width, int depth) {
  int most = 0;
  for (uint32_t x = 0; x < width; x++) {
    uint64_t bit = (uint64_t)x * (unsigned)depth;
    int index = row[bit / 8] >> (8 - depth - (int)(bit % 8)) & ((1 << depth) - 1);
    if (index > most) most = index;
  }
  return most;
}

int32_t dr_png_palette_develop(struct dr_png_reader *reader, struct dr_png_writer *writer,
                               const struct dr_matrix *matrix, struct dr_thumbnail *thumbnail,
                               struct dr_trouble *trouble) {
  static const uint8_t no_filter = 0;
  trouble->code = 0;
  reader->escape.trouble = writer->escape.trouble = trouble;
  uint8_t shown[COLOURS * 4];
  uint8_t *volatile room = reader->image ? NULL : calloc(1, reader->row_size);
  if (setjmp(writer->escape.back)) {
    free(room);
    return -1;
  }
  if (setjmp(reader->escape.back)) {
    free(room);
    return -1;
  }
  if (!reader->image && !room) png_error(reader->codec, "out of memory");
  int depth = png_get_bit_depth(reader->codec, reader->info);
  int count = put_palette(reader, writer, matrix, shown);
  for (; reader->next < reader->height; reader->next++, writer->rows_left--) {
    uint8_t *row = reader->image ? reader->image + reader->row_size * reader->next : room;
    if (!reader->image) png_read_row(reader->codec, row, NULL);
    if (count < 1 << depth && largest(row, reader->width, depth) >= count)
      png_error(reader->codec, "a pixel has a colour that is not in its palette");
    dr_deflate_add(writer->stream, &no_filter, 1);
    dr_deflate_add(writer->stream, row, reader->row_size);
    if (thumbnail) dr_thumbnail_indices(thumbnail, row, depth, shown);
  }
  free(room);
  return 0;
}

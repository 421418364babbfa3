// SPDX-License-Identifier: Apache-2.0
// Develops a JPEG on its planes of light and chroma, a band at a time, one band behind the reader: chroma
// is interpolated from the rows above and below. Edges come out as libjpeg makes them by way of red, green
// and blue. Uses about 60 bytes of memory per column.
#include "jpeg_codec.h"
#include "planes.h"
#include "thumbnail.h"

#include <stdlib.h>
#include <string.h>

enum { height = DCTSIZE, margin = 32 };

struct band {
  uint8_t *light[2 * height], *cb[height], *cr[height];
};

struct planes {
  struct dr_plane_map map;
  int across, down;
  uint32_t width, rows;                 // of the plane of light
  uint32_t chroma_width, chroma_rows;
  uint32_t tiles;
  struct band now, next;
  uint8_t *above[2];                    // the last rows of chroma of the previous band
  uint8_t *cb_out[height], *cr_out[height];
  uint8_t *memory;
  struct dr_thumbnail *thumbnail;       // or NULL
};

static size_t stride(const struct planes *planes, int across) {
  return (size_t)planes->tiles * DR_TILE * (size_t)across + 2 * margin;
}

static uint8_t *cut(uint8_t **rest, size_t size) {
  uint8_t *row = *rest + margin;
  *rest += size;
  return row;
}

static int allocate(struct planes *planes) {
  size_t light = stride(planes, planes->across), chroma = stride(planes, 1);
  size_t lights = 2 * (size_t)height * (size_t)planes->down;
  planes->memory = calloc(lights * light + (6 * height + 2) * chroma, 1);
  if (!planes->memory) return -1;
  uint8_t *rest = planes->memory;
  struct band *bands[2] = {&planes->now, &planes->next};
  for (int b = 0; b < 2; b++) {
    for (int y = 0; y < height * planes->down; y++) bands[b]->light[y] = cut(&rest, light);
    for (int y = 0; y < height; y++) bands[b]->cb[y] = cut(&rest, chroma);
    for (int y = 0; y < height; y++) bands[b]->cr[y] = cut(&rest, chroma);
  }
  for (int y = 0; y < height; y++) planes->cb_out[y] = cut(&rest, chroma);
  for (int y = 0; y < height; y++) planes->cr_out[y] = cut(&rest, chroma);
  for (int i = 0; i < 2; i++) planes->above[i] = cut(&rest, chroma);
  return 0;
}

static int prepare(struct planes *planes, j_decompress_ptr codec, const struct dr_matrix *matrix) {
  const jpeg_component_info *light = codec->comp_info, *chroma = codec->comp_info + 1;
  memset(planes, 0, sizeof *planes);
  planes->across = light->h_samp_factor;
  planes->down = light->v_samp_factor;
  planes->width = codec->image_width;
  planes->rows = codec->image_height;
  planes->chroma_width = chroma->downsampled_width;
  planes->chroma_rows = chroma->downsampled_height;
  planes->tiles = (chroma->width_in_blocks * DCTSIZE + DR_TILE - 1) / DR_TILE;
  if (!dr_plane_map_make(&planes->map, matrix)) return -1;
  return allocate(planes);
}

// Repeats the last column. If the last chroma sample covers only one column, the sample beyond it mirrors
// the sample before it, which makes the missing column equal to the last one.
static void extend_chroma(const struct planes *planes, uint8_t *row) {
  uint32_t width = planes->chroma_width;
  row[-1] = row[0];
  memset(row + width, row[width - 1], stride(planes, 1) - margin - width);
  if (planes->across == 2 && planes->width % 2) row[width] = row[width - 2];
}

static void extend_band(const struct planes *planes, struct band *band, uint32_t first) {
  uint32_t left = planes->chroma_rows - first;
  for (uint32_t y = 0; y < height && y < left; y++) {
    extend_chroma(planes, band->cb[y]);
    extend_chroma(planes, band->cr[y]);
  }
  size_t end = stride(planes, planes->across) - margin - planes->width;
  for (int y = 0; y < height * planes->down; y++)
    memset(band->light[y] + planes->width, band->light[y][planes->width - 1], end);
}

// The three rows of one chroma component for a group; edge rows of the picture are their own neighbours.
static void pick(const uint8_t *to[3], uint8_t *const *now, uint8_t *const *next,
                 const uint8_t *above, uint32_t y, uint32_t row, uint32_t rows) {
  to[1] = now[y];
  to[0] = row == 0 ? now[y] : y == 0 ? above : now[y - 1];
  to[2] = row + 1 == rows ? now[y] : y + 1 == height ? next[0] : now[y + 1];
}

static void develop_group(struct planes *planes, uint32_t first, uint32_t y) {
  uint32_t row = first + y, down = (uint32_t)planes->down;
  struct band *now = &planes->now;
  struct dr_plane_rows rows = {.cb_out = planes->cb_out[y], .cr_out = planes->cr_out[y]};
  pick(rows.cb, now->cb, planes->next.cb, planes->above[0], y, row, planes->chroma_rows);
  pick(rows.cr, now->cr, planes->next.cr, planes->above[1], y, row, planes->chroma_rows);
  for (uint32_t j = 0; j < down; j++) rows.light[j] = now->light[y * down + j];
  if ((row + 1) * down > planes->rows) {
    // The missing row equals the last one.
    memcpy(rows.light[1], rows.light[0], stride(planes, planes->across) - margin);
    rows.cb[2] = rows.cb[0];
    rows.cr[2] = rows.cr[0];
  }
  dr_plane_rows_apply(&planes->map, &rows, planes->across, planes->down, planes->tiles);
  if (planes->across == 2 && planes->width % 2) {
    uint32_t width = planes->chroma_width, rest = planes->tiles * DR_TILE - width;
    memset(rows.cb_out + width, rows.cb_out[width - 1], rest);
    memset(rows.cr_out + width, rows.cr_out[width - 1], rest);
    for (uint32_t j = 0; j < down; j++)
      memset(rows.light[j] + planes->width, rows.light[j][planes->width - 1], rest * 2);
  }
}

static void show_group(const struct planes *planes, uint32_t first, uint32_t y) {
  uint32_t down = (uint32_t)planes->down;
  for (uint32_t j = 0; j < down && (first + y) * down + j < planes->rows; j++)
    dr_thumbnail_plane(planes->thumbnail, 0, planes->now.light[y * down + j]);
  dr_thumbnail_plane(planes->thumbnail, 1, planes->cb_out[y]);
  dr_thumbnail_plane(planes->thumbnail, 2, planes->cr_out[y]);
}

// Fills the rows below the picture with its last row.
static void repeat_last(struct planes *planes, uint32_t count) {
  size_t light = stride(planes, planes->across) - margin, chroma = stride(planes, 1) - margin;
  uint32_t down = (uint32_t)planes->down;
  for (uint32_t y = count; y < height; y++) {
    memcpy(planes->cb_out[y], planes->cb_out[count - 1], chroma);
    memcpy(planes->cr_out[y], planes->cr_out[count - 1], chroma);
    for (uint32_t j = 0; j < down; j++)
      memcpy(planes->now.light[y * down + j], planes->now.light[count * down - 1], light);
  }
}

static void develop_band(struct planes *planes, uint32_t first) {
  uint32_t left = planes->chroma_rows - first, count = left < height ? left : height;
  for (uint32_t y = 0; y < count; y++) {
    develop_group(planes, first, y);
    if (planes->thumbnail) show_group(planes, first, y);
  }
  if (planes->thumbnail) dr_thumbnail_flush(planes->thumbnail);
  repeat_last(planes, count);
  memcpy(planes->above[0] - 1, planes->now.cb[height - 1] - 1, stride(planes, 1) - margin + 1);
  memcpy(planes->above[1] - 1, planes->now.cr[height - 1] - 1, stride(planes, 1) - margin + 1);
}

static int read_next(struct planes *planes, struct dr_jpeg_reader *reader, uint32_t first,
                     struct dr_trouble *trouble) {
  struct band *next = &planes->next;
  if (first >= planes->chroma_rows) return 0;
  JSAMPARRAY band[3] = {next->light, next->cb, next->cr};
  if (dr_jpeg_reader_band(reader, band, trouble) < 0) return -1;
  extend_band(planes, next, first);
  return 0;
}

static int develop(struct planes *planes, struct dr_jpeg_reader *reader,
                   struct dr_jpeg_writer *writer, struct dr_trouble *trouble) {
  if (read_next(planes, reader, 0, trouble) < 0) return -1;
  for (uint32_t first = 0; first < planes->chroma_rows; first += height) {
    struct band read = planes->next;
    planes->next = planes->now;
    planes->now = read;
    if (read_next(planes, reader, first + height, trouble) < 0) return -1;
    develop_band(planes, first);
    JSAMPARRAY band[3] = {planes->now.light, planes->cb_out, planes->cr_out};
    if (dr_jpeg_writer_band(writer, band, trouble) < 0) return -1;
  }
  return 0;
}

int32_t dr_jpeg_planes_develop(struct dr_jpeg_reader *reader, struct dr_jpeg_writer *writer,
                               const struct dr_matrix *matrix, struct dr_thumbnail *thumbnail,
                               struct dr_trouble *trouble) {
  struct planes planes;
  trouble->code = 0;
  int result = -1;
  if (prepare(&planes, &reader->codec, matrix) < 0)
    dr_codec_say(trouble, DR_CODEC_MEMORY, "there is no memory left to develop it");
  else {
    // Without memory for it there is no thumbnail.
    if (thumbnail && dr_thumbnail_planes(thumbnail, planes.chroma_width, planes.chroma_rows) == 0)
      planes.thumbnail = thumbnail;
    result = develop(&planes, reader, writer, trouble);
  }
  free(planes.memory);
  return result;
}

// SPDX-License-Identifier: Apache-2.0
// Scales a picture down while its rows pass: each pixel of the thumbnail is the average of the area that it
// covers, with parts of rows and columns in 1/256. Whole rows are only added to 16-bit sums; all else happens
// once for each row of the thumbnail. Integers only, so that the result is the same on every processor.
#include "thumbnail.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

enum { unit = 256, most_added = 256, longest_side_factor = 4, most_queued = 4 };

struct axis {
  uint32_t from, to;        // samples of the plane, pixels of the thumbnail
  uint64_t least;           // a pixel covers this many 1/256 of a sample, or one more
};

// How many 1/256 of samples, in both directions, a pixel covers.
struct weight {
  uint64_t value, reciprocal;
};

struct plane {
  struct axis across, down;
  uint32_t step;            // bytes from sample to sample: 1, or 4 of which three are averaged
  uint32_t next, done;      // rows of the plane, rows of the thumbnail
  uint32_t added;           // rows in `sums`
  uint32_t queued;          // whole rows that are not in `sums`; they stay valid until `flush`
  const uint8_t *queue[most_queued];
  uint8_t *nothing;         // a row of zeros, in the place of one that is not there
  uint16_t *sums;           // whole rows
  uint32_t *part;           // parts of rows, in 1/256
  uint32_t *total;          // of all columns before each one, modulo 2^32
  uint32_t *edges;          // where the columns of the thumbnail begin, in 1/256
  struct weight weights[2][2];  // the four that occur
  int first;                // the first channel of the thumbnail
};

struct dr_thumbnail {
  struct plane planes[3];
  int count;
  int broken;               // memory was missing: it has no planes, and takes no rows
  int is_light;
  int orientation;
  uint32_t width, height;   // as the rows come, before they are turned
  uint32_t source_width, source_height;
  uint8_t *pixels;          // three bytes each
  uint8_t *row;             // a row of eight bits a channel, over white
};

static uint64_t edge(const struct axis *axis, uint32_t place) {
  return (uint64_t)place * axis->from * unit / axis->to;
}

static void free_plane(struct plane *plane) {
  free(plane->nothing);
  free(plane->sums);
  free(plane->part);
  free(plane->total);
  free(plane->edges);
  memset(plane, 0, sizeof *plane);
}

static struct axis make_axis(uint32_t from, uint32_t to) {
  return (struct axis){from, to, (uint64_t)from * unit / to};
}

static int prepare(struct dr_thumbnail *thumbnail, int place, uint32_t width, uint32_t height,
                   uint32_t step, int first) {
  struct plane *plane = &thumbnail->planes[place];
  size_t bytes = (size_t)width * step;
  plane->across = make_axis(width, thumbnail->width);
  plane->down = make_axis(height, thumbnail->height);
  plane->step = step;
  plane->first = first;
  plane->nothing = calloc(bytes, 1);
  plane->sums = calloc(bytes, sizeof *plane->sums);
  plane->part = calloc(bytes, sizeof *plane->part);
  // Nothing is before the first column; the one behind the last one counts with a share of 0.
  plane->total = calloc(bytes + 2 * step, sizeof *plane->total);
  plane->edges = calloc((size_t)thumbnail->width + 1, sizeof *plane->edges);
  if (!plane->nothing || !plane->sums || !plane->part || !plane->total || !plane->edges) return -1;
  for (uint32_t x = 0; x <= thumbnail->width; x++)
    plane->edges[x] = (uint32_t)edge(&plane->across, x);
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      uint64_t weight = (plane->down.least + (uint64_t)i) * (plane->across.least + (uint64_t)j);
      uint64_t reciprocal = weight > 1 ? UINT64_MAX / weight + 1 : UINT64_MAX;
      plane->weights[i][j] = (struct weight){weight, reciprocal};
    }
  return 0;
}

static uint32_t scaled(uint32_t side, uint32_t by, uint32_t to) {
  uint64_t value = ((uint64_t)side * to * 2 + by) / ((uint64_t)by * 2);
  return value < 1 ? 1 : (uint32_t)value;
}

struct dr_thumbnail *dr_thumbnail_open(uint32_t width, uint32_t height, int32_t orientation,
                                       uint32_t most) {
  struct dr_thumbnail *thumbnail = calloc(1, sizeof *thumbnail);
  if (!thumbnail) return NULL;
  int turns = orientation >= 5 && orientation <= 8;
  uint32_t across = turns ? height : width, down = turns ? width : height;
  uint32_t high = down < most ? down : most, wide = scaled(across, down, high);
  if (wide > most * longest_side_factor) {
    wide = most * longest_side_factor;
    high = scaled(down, across, wide);
  }
  thumbnail->orientation = orientation;
  thumbnail->width = turns ? high : wide;
  thumbnail->height = turns ? wide : high;
  thumbnail->source_width = width;
  thumbnail->source_height = height;
  thumbnail->pixels = calloc((size_t)wide * high, 3);
  if (thumbnail->pixels) return thumbnail;
  dr_thumbnail_close(thumbnail);
  return NULL;
}

void dr_thumbnail_close(struct dr_thumbnail *thumbnail) {
  if (!thumbnail) return;
  for (int i = 0; i < 3; i++) free_plane(&thumbnail->planes[i]);
  free(thumbnail->pixels);
  free(thumbnail->row);
  free(thumbnail);
}

static int give_up(struct dr_thumbnail *thumbnail) {
  for (int i = 0; i < 3; i++) free_plane(&thumbnail->planes[i]);
  free(thumbnail->row);
  thumbnail->row = NULL;
  thumbnail->count = 0;
  thumbnail->broken = 1;
  return -1;
}

int dr_thumbnail_planes(struct dr_thumbnail *thumbnail, uint32_t chroma_width,
                        uint32_t chroma_height) {
  if (thumbnail->broken) return -1;
  thumbnail->is_light = 1;
  int result = prepare(thumbnail, 0, thumbnail->source_width, thumbnail->source_height, 1, 0);
  for (int i = 1; i < 3; i++)
    result |= prepare(thumbnail, i, chroma_width, chroma_height, 1, i);
  if (result < 0) return give_up(thumbnail);
  thumbnail->count = 3;
  return 0;
}

static int start_rows(struct dr_thumbnail *thumbnail) {
  if (thumbnail->broken) return -1;
  if (thumbnail->count) return 0;
  thumbnail->row = malloc((size_t)thumbnail->source_width * 4);
  if (!thumbnail->row) return give_up(thumbnail);
  if (prepare(thumbnail, 0, thumbnail->source_width, thumbnail->source_height, 4, 0) < 0)
    return give_up(thumbnail);
  thumbnail->count = 1;
  return 0;
}

// The loops over all columns, compiled for two kinds of processor.
struct columns {
  uint16_t *restrict sums;
  uint32_t *restrict part;
  uint32_t *restrict total;
  size_t bytes;
};

#define INLINE static inline __attribute__((always_inline))
#define EVERY(name, ...) INLINE void name##_each(struct columns to, __VA_ARGS__)

// Sums of up to 256 rows of bytes fit 16 bits.
EVERY(add_four, const uint8_t *const rows[most_queued], uint32_t unused) {
  const uint8_t *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2],
                *restrict d = rows[3];
  (void)unused;
  for (size_t i = 0; i < to.bytes; i++)
    to.sums[i] = (uint16_t)(to.sums[i] + (uint16_t)(a[i] + b[i]) + (uint16_t)(c[i] + d[i]));
}

// A byte times 256 at most fits 16 bits.
EVERY(add_share, const uint8_t *const *rows, uint32_t share) {
  const uint8_t *restrict row = rows[0];
  for (size_t i = 0; i < to.bytes; i++) to.part[i] += (uint16_t)(row[i] * share);
}

EVERY(empty_sums, const uint8_t *const *rows, uint32_t unused) {
  (void)rows, (void)unused;
  for (size_t i = 0; i < to.bytes; i++) to.part[i] += (uint32_t)to.sums[i] * unit;
  memset(to.sums, 0, to.bytes * sizeof *to.sums);
}

EVERY(complete, const uint8_t *const *rows, uint32_t share) {
  const uint8_t *restrict row = rows[0];
  for (size_t i = 0; i < to.bytes; i++)
    to.total[i] = to.part[i] + (uint32_t)to.sums[i] * unit + (uint16_t)(row[i] * share);
  memset(to.part, 0, to.bytes * sizeof *to.part);
  memset(to.sums, 0, to.bytes * sizeof *to.sums);
}

typedef void column_function(struct columns, const uint8_t *const *, uint32_t);

#if defined(__x86_64__)
#define BOTH(name)                                                                             \
  __attribute__((target("avx2"))) static void name##_avx2(struct columns to,                   \
                                                          const uint8_t *const *rows,          \
                                                          uint32_t share) {                    \
    name##_each(to, rows, share);                                                              \
  }                                                                                            \
  static void name(struct columns to, const uint8_t *const *rows, uint32_t share) {            \
    if (dr_vectors() >= DR_VECTORS_AVX2) return name##_avx2(to, rows, share);                  \
    name##_each(to, rows, share);                                                              \
  }
#else
#define BOTH(name)                                                                             \
  static void name(struct columns to, const uint8_t *const *rows, uint32_t share) {            \
    name##_each(to, rows, share);                                                              \
  }
#endif

BOTH(add_four)
BOTH(add_share)
BOTH(empty_sums)
BOTH(complete)

static struct columns columns(const struct plane *plane) {
  size_t bytes = (size_t)plane->across.from * plane->step;
  return (struct columns){plane->sums, plane->part, plane->total + plane->step, bytes};
}

static void flush(struct plane *plane) {
  if (!plane->queued) return;
  plane->added += plane->queued;
  while (plane->queued < most_queued) plane->queue[plane->queued++] = plane->nothing;
  add_four(columns(plane), plane->queue, 0);
  plane->queued = 0;
  if (plane->added + most_queued <= most_added) return;
  empty_sums(columns(plane), NULL, 0);
  plane->added = 0;
}

static void collect(struct plane *plane, const uint8_t *row, uint32_t share) {
  flush(plane);
  complete(columns(plane), &row, share);
  plane->added = 0;
}

typedef uint32_t lanes __attribute__((vector_size(16)));

// Each column becomes the sum of those up to it: four columns of one channel, or one of four channels, at a time.
INLINE void run(uint32_t *total, size_t bytes, uint32_t step) {
  lanes sum = {0}, none = {0}, next;
  size_t end = bytes + step, i = step;
  for (; i + 4 <= end; i += 4) {
    memcpy(&next, total + i, sizeof next);
    if (step == 1) {
      next += __builtin_shufflevector(none, next, 3, 4, 5, 6);
      next += __builtin_shufflevector(none, next, 2, 3, 4, 5);
    }
    next += sum;
    sum = step == 1 ? __builtin_shufflevector(next, next, 3, 3, 3, 3) : next;
    memcpy(total + i, &next, sizeof next);
  }
  for (; i < end; i++) total[i] += total[i - step];
}

// The sum of the columns between two places.
INLINE uint64_t between(const uint32_t *total, size_t first, size_t last, uint32_t step,
                        int is_small) {
  if (is_small) return total[last] - total[first];
  uint64_t sum = 0;
  for (size_t i = first; i < last; i += step) sum += total[i + step] - total[i];
  return sum;
}

INLINE uint8_t quotient(uint64_t sum, struct weight by) {
  if (__builtin_expect(by.value <= 1, 0)) return (uint8_t)sum;
  return (uint8_t)((unsigned __int128)(sum + by.value / 2) * by.reciprocal >> 64);
}

// One channel of a row of the thumbnail.
INLINE void average_channel(const struct plane *plane, const struct weight weights[2],
                            uint32_t width, const uint32_t *total, uint8_t *out, uint32_t step,
                            int is_small) {
  uint64_t least = plane->across.least, before = 0;
  struct weight narrow = weights[0], wide = weights[1];
  const uint32_t *edges = plane->edges;
  uint32_t from = 0;
  size_t first = 0;
  for (uint32_t x = 1; x <= width; x++, out += 3) {
    uint32_t to = edges[x];
    size_t last = (size_t)(to / unit) * step;
    // The share of the column in which the pixel ends.
    uint64_t share = (uint64_t)(total[last + step] - total[last]) * (to % unit);
    uint64_t sum = between(total, first, last, step, is_small) * unit + share - before;
    *out = quotient(sum, to - from > least ? wide : narrow);
    first = last;
    from = to;
    before = share;
  }
}

static void average(struct dr_thumbnail *thumbnail, struct plane *plane, uint64_t weight_down) {
  const struct weight *weights = plane->weights[weight_down > plane->down.least];
  size_t bytes = (size_t)plane->across.from * plane->step;
  uint32_t width = thumbnail->width, *total = plane->total;
  uint8_t *out = thumbnail->pixels + (size_t)plane->done * width * 3 + plane->first;
  // Otherwise a pixel covers more than 2^16 samples, whose sum may not fit 32 bits.
  int is_small = weight_down * (plane->across.least / unit + 2) < 1 << 24;
  if (plane->step == 1) {
    run(total, bytes, 1);
    if (is_small) return average_channel(plane, weights, width, total, out, 1, 1);
    return average_channel(plane, weights, width, total, out, 1, 0);
  }
  run(total, bytes, 4);
  for (uint32_t c = 0; c < 3; c++) {
    if (is_small) average_channel(plane, weights, width, total + c, out + c, 4, 1);
    else average_channel(plane, weights, width, total + c, out + c, 4, 0);
  }
}

static void add(struct dr_thumbnail *thumbnail, struct plane *plane, const uint8_t *row) {
  uint64_t from = (uint64_t)plane->next * unit, to = from + unit;
  if (plane->next == plane->down.from) return;
  plane->next++;
  while (plane->done < thumbnail->height) {
    uint64_t end = edge(&plane->down, plane->done + 1);
    if (end > to) break;
    collect(plane, row, (uint32_t)(end - from));
    average(thumbnail, plane, end - edge(&plane->down, plane->done));
    plane->done++;
    from = end;
  }
  if (plane->done == thumbnail->height || from == to) return;
  if (to - from < unit) {
    add_share(columns(plane), &row, (uint32_t)(to - from));
  } else {
    plane->queue[plane->queued++] = row;
    if (plane->queued == most_queued) flush(plane);
  }
}

void dr_thumbnail_plane(struct dr_thumbnail *thumbnail, int place, const uint8_t *row) {
  if (!thumbnail->broken) add(thumbnail, &thumbnail->planes[place], row);
}

void dr_thumbnail_flush(struct dr_thumbnail *thumbnail) {
  for (int i = 0; i < thumbnail->count; i++) flush(&thumbnail->planes[i]);
}

static uint8_t over_white(uint32_t value, uint32_t alpha) {
  return (uint8_t)((value * alpha + 255 * (255 - alpha) + 127) / 255);
}

static void lay_over_white(uint8_t *row, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, row += 4)
    if (row[3] != 255)
      for (int c = 0; c < 3; c++) row[c] = over_white(row[c], row[3]);
}

static int has_alpha(const uint8_t *row, uint32_t width) {
  uint8_t all = 255;
  for (uint32_t x = 0; x < width; x++) all &= row[(size_t)x * 4 + 3];
  return all != 255;
}

// Returns 0, or -1 without memory.
int32_t dr_thumbnail_rows8(struct dr_thumbnail *thumbnail, const uint8_t *rows, uint64_t stride,
                           uint32_t count, int32_t alpha) {
  uint32_t width = thumbnail->source_width;
  if (start_rows(thumbnail) < 0) return -1;
  for (uint32_t y = 0; y < count; y++, rows += stride) {
    const uint8_t *row = rows;
    if (alpha && has_alpha(row, width)) {
      memcpy(thumbnail->row, rows, (size_t)width * 4);
      lay_over_white(thumbnail->row, width);
      row = thumbnail->row;
    }
    add(thumbnail, &thumbnail->planes[0], row);
    if (row != rows) flush(&thumbnail->planes[0]);
  }
  flush(&thumbnail->planes[0]);
  return 0;
}

int32_t dr_thumbnail_rows16(struct dr_thumbnail *thumbnail, const uint16_t *rows, uint64_t stride,
                            uint32_t count, int32_t alpha) {
  uint32_t width = thumbnail->source_width;
  if (start_rows(thumbnail) < 0) return -1;
  for (uint32_t y = 0; y < count; y++) {
    const uint16_t *row = (const uint16_t *)(const void *)((const uint8_t *)rows + stride * y);
    for (size_t i = 0; i < (size_t)width * 4; i++) thumbnail->row[i] = (uint8_t)(row[i] >> 8);
    if (alpha) lay_over_white(thumbnail->row, width);
    add(thumbnail, &thumbnail->planes[0], thumbnail->row);
    flush(&thumbnail->planes[0]);
  }
  return 0;
}

int dr_thumbnail_indices(struct dr_thumbnail *thumbnail, const uint8_t *row, int depth,
                         const uint8_t colours[256 * 4]) {
  if (start_rows(thumbnail) < 0) return -1;
  for (uint32_t x = 0; x < thumbnail->source_width; x++) {
    uint64_t bit = (uint64_t)x * (unsigned)depth;
    int index = row[bit / 8] >> (8 - depth - (int)(bit % 8)) & ((1 << depth) - 1);
    memcpy(thumbnail->row + (size_t)x * 4, colours + index * 4, 4);
  }
  add(thumbnail, &thumbnail->planes[0], thumbnail->row);
  flush(&thumbnail->planes[0]);
  return 0;
}

void dr_thumbnail_flatten(uint8_t colours[256 * 4]) { lay_over_white(colours, 256); }

int dr_thumbnail_is_whole(const struct dr_thumbnail *thumbnail) {
  if (thumbnail->broken || !thumbnail->count) return 0;
  for (int i = 0; i < thumbnail->count; i++)
    if (thumbnail->planes[i].done != thumbnail->height) return 0;
  return 1;
}

// The place, before it was turned, of the pixel that the orientation shows at x, y.
static size_t place(const struct dr_thumbnail *thumbnail, uint32_t x, uint32_t y) {
  uint32_t right = thumbnail->width - 1, bottom = thumbnail->height - 1, across = x, down = y;
  switch (thumbnail->orientation) {
    case 2: across = right - x; break;
    case 3: across = right - x, down = bottom - y; break;
    case 4: down = bottom - y; break;
    case 5: across = y, down = x; break;
    case 6: across = y, down = bottom - x; break;
    case 7: across = right - y, down = bottom - x; break;
    case 8: across = right - y, down = x; break;
    default: break;
  }
  return ((size_t)down * thumbnail->width + across) * 3;
}

int dr_thumbnail_turn(struct dr_thumbnail *thumbnail) {
  int turns = thumbnail->orientation >= 5 && thumbnail->orientation <= 8;
  uint32_t width = turns ? thumbnail->height : thumbnail->width;
  uint32_t height = turns ? thumbnail->width : thumbnail->height;
  if (thumbnail->orientation < 2 || thumbnail->orientation > 8) return 0;
  uint8_t *turned = malloc((size_t)width * height * 3), *to = turned;
  if (!turned) return -1;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++, to += 3)
      memcpy(to, thumbnail->pixels + place(thumbnail, x, y), 3);
  free(thumbnail->pixels);
  thumbnail->pixels = turned;
  thumbnail->width = width;
  thumbnail->height = height;
  thumbnail->orientation = 1;
  return 0;
}

const uint8_t *dr_thumbnail_row(const struct dr_thumbnail *thumbnail, uint32_t y) {
  return thumbnail->pixels + (size_t)y * thumbnail->width * 3;
}

struct dr_thumbnail_form dr_thumbnail_form(const struct dr_thumbnail *thumbnail) {
  return (struct dr_thumbnail_form){thumbnail->width, thumbnail->height, thumbnail->is_light};
}

static int clamp(int64_t value) { return value < 0 ? 0 : value > 255 ? 255 : (int)value; }

static void to_rgb(int64_t colour[3]) {
  int64_t light = colour[0] * 1000000, cb = colour[1] - 128, cr = colour[2] - 128;
  colour[0] = clamp((light + 1402000 * cr + 500000) / 1000000);
  colour[1] = clamp((light - 344136 * cb - 714136 * cr + 500000) / 1000000);
  colour[2] = clamp((light + 1772000 * cb + 500000) / 1000000);
}

// The mean of one part of the picture, of at least one pixel.
static void mean(const struct dr_thumbnail *thumbnail, uint32_t x, uint32_t y, uint8_t *to) {
  uint32_t left = thumbnail->width * x / DR_GRID_WIDTH, top = thumbnail->height * y / DR_GRID_HEIGHT;
  uint32_t right = thumbnail->width * (x + 1) / DR_GRID_WIDTH;
  uint32_t bottom = thumbnail->height * (y + 1) / DR_GRID_HEIGHT;
  if (right == left) right++;
  if (bottom == top) bottom++;
  int64_t sums[3] = {0}, count = (int64_t)(right - left) * (bottom - top);
  for (uint32_t row = top; row < bottom; row++) {
    const uint8_t *pixel = dr_thumbnail_row(thumbnail, row) + (size_t)left * 3;
    for (uint32_t i = left; i < right; i++, pixel += 3)
      for (int c = 0; c < 3; c++) sums[c] += pixel[c];
  }
  for (int c = 0; c < 3; c++) sums[c] = (sums[c] + count / 2) / count;
  if (thumbnail->is_light) to_rgb(sums);
  for (int c = 0; c < 3; c++) to[c] = (uint8_t)sums[c];
}

void dr_thumbnail_grid(const struct dr_thumbnail *thumbnail, uint8_t *grid) {
  for (uint32_t y = 0; y < DR_GRID_HEIGHT; y++)
    for (uint32_t x = 0; x < DR_GRID_WIDTH; x++, grid += 3) mean(thumbnail, x, y, grid);
}

// SPDX-License-Identifier: Apache-2.0
// Applies the matrix to light and chroma at the picture's own sampling. A tile in which no colour can clip
// takes the linear path: light and chroma directly from light and chroma. Any other tile is computed pixel
// by pixel through red, green and blue, clamped where the exact formula clamps. Chroma is interpolated
// (three parts near, one part far) and averaged as libjpeg does it.
//
// Lanes are columns of chroma; the pixels of one chroma sample are its phases, `across` x `down` of them.
// This file is compiled once for each kind of processor, with another name for `DR_PLANE_ROWS_APPLY`.
#include "plane_lanes.h"
#include "planes.h"

enum { block = 4 * DR_TILE, span = block + DR_LANES };

// The chroma of a few tiles for each phase down, at four times its distance from grey, and its
// contribution to light; begins one column before the first.
struct spread {
  int16_t cb[2][span], cr[2][span], shift[2][span];
};

struct phases {
  dr_lanes light[2][4];
};

DR_INLINE void load_light(struct phases *to, const struct dr_plane_rows *rows, uint32_t at,
                          int across, int down) {
  for (int j = 0; j < down; j++) {
    const uint8_t *row = rows->light[j] + (size_t)at * (size_t)across;
    if (across == 1) to->light[j][0] = dr_load_bytes(row);
    if (across == 2) {
      dr_lanes_unsigned pairs;
      memcpy(&pairs, row, sizeof pairs);
      to->light[j][DR_FIRST] = (dr_lanes)(pairs & 255);
      to->light[j][1 - DR_FIRST] = (dr_lanes)(pairs >> 8);
    }
    if (across == 4)
      for (int k = 0; k < 4; k++)
        for (int i = 0; i < DR_LANES; i++) to->light[j][k][i] = row[i * 4 + k];
  }
}

DR_INLINE void store_light(const struct phases *from, const struct dr_plane_rows *rows,
                           uint32_t at, int across, int down) {
  for (int j = 0; j < down; j++) {
    uint8_t *row = rows->light[j] + (size_t)at * (size_t)across;
    if (across == 1) dr_store_bytes(row, from->light[j][0]);
    if (across == 2) {
      dr_lanes pairs = from->light[j][DR_FIRST] | from->light[j][1 - DR_FIRST] << 8;
      memcpy(row, &pairs, sizeof pairs);
    }
    if (across == 4)
      for (int k = 0; k < 4; k++)
        for (int i = 0; i < DR_LANES; i++) row[i * 4 + k] = (uint8_t)from->light[j][k][i];
  }
}

DR_INLINE void spread_down(int16_t to[2][span], const uint8_t *const from[3], uint32_t at,
                           uint32_t count, int down) {
  for (uint32_t i = 0; i < count + DR_LANES; i += DR_LANES) {
    int64_t x = (int64_t)at + i - 1;
    dr_lanes near = dr_load_bytes(from[1] + x);
    if (down == 1) {
      dr_store(to[0] + i, near * 4 - 512);
    } else {
      near = near * 3 - 512;
      dr_store(to[0] + i, near + dr_load_bytes(from[0] + x));
      dr_store(to[1] + i, near + dr_load_bytes(from[2] + x));
    }
  }
}

DR_INLINE void shift_light(struct spread *spread, const struct dr_plane_map *map, uint32_t count,
                           int down) {
  for (int j = 0; j < down; j++)
    for (uint32_t i = 0; i < count + DR_LANES; i += DR_LANES)
      dr_store(spread->shift[j] + i, dr_high(dr_load(spread->cb[j] + i) * 32, map->light_cb) +
                                         dr_high(dr_load(spread->cr[j] + i) * 32, map->light_cr));
}

// One phase across, scaled by sixteen; `row` begins one column before it.
DR_INLINE dr_lanes spread_across(const int16_t *row, int across, int k) {
  dr_lanes near = dr_load(row + 1);
  return across == 2 ? near * 3 + dr_load(row + 2 * k) : near * 4;
}

DR_INLINE dr_lanes sum_down(const int16_t rows[2][span], uint32_t i, int down) {
  return down == 2 ? dr_load(rows[0] + i) + dr_load(rows[1] + i) : dr_load(rows[0] + i) * 2;
}

// The mean of all phases, scaled by 256, which just fits.
DR_INLINE dr_lanes mean(const int16_t rows[2][span], uint32_t i, int across, int down) {
  dr_lanes near = sum_down(rows, i + 1, down);
  if (across != 2) return near * 32;
  return near * 24 + (sum_down(rows, i, down) + sum_down(rows, i + 2, down)) * 4;
}

// The constants add half a unit and the average loss of the truncated products.
DR_INLINE void linear_light(struct phases *phases, const struct spread *spread, uint32_t i,
                            const struct dr_plane_map *map, int across, int down) {
  for (int j = 0; j < down; j++)
    for (int k = 0; k < across; k++) {
      dr_lanes_unsigned light = (dr_lanes_unsigned)(phases->light[j][k] << 8);
      dr_lanes shift = spread_across(spread->shift[j] + i, across, k);
      light = dr_high_unsigned(light, map->light) + (dr_lanes_unsigned)shift + (64 + 4);
      phases->light[j][k] = (dr_lanes)(light >> 7);
    }
}

DR_INLINE void linear_chroma(const struct phases *phases, const struct spread *spread, uint32_t i,
                             const struct dr_plane_map *map, uint8_t *cb_out, uint8_t *cr_out,
                             int across, int down) {
  enum { middle = (128 << 7) + 64 + 1 };
  dr_lanes light = dr_all(0);
  for (int j = 0; j < down; j++)
    for (int k = 0; k < across; k++) light += phases->light[j][k];
  light *= (int16_t)(128 / (across * down));
  dr_lanes cb = mean(spread->cb, i, across, down), cr = mean(spread->cr, i, across, down);
  dr_lanes blue = dr_high(light, map->blue) + dr_high(cb, map->blue_cb) + dr_high(cr, map->blue_cr);
  dr_lanes red = dr_high(light, map->red) + dr_high(cb, map->red_cb) + dr_high(cr, map->red_cr);
  dr_store_bytes(cb_out, dr_clamp((blue + middle) >> 7));
  dr_store_bytes(cr_out, dr_clamp((red + middle) >> 7));
}

struct colour {
  dr_lanes red, green, blue;
};

// libjpeg's conversion, with its factors in 2^-16; green may differ by one.
DR_INLINE struct colour colour(dr_lanes light, dr_lanes cb, dr_lanes cr) {
  dr_lanes red = (dr_high(cr * 2, 26345) + 1) >> 1;
  dr_lanes blue = (dr_high(cb * 2, -14942) + 1) >> 1;
  dr_lanes green = (dr_high(cb * 128, -22554) + dr_high(cr * 128, 18734) + (64 + 1)) >> 7;
  return (struct colour){
      dr_clamp(light + cr + red), dr_clamp(light - cr + green), dr_clamp(light + cb * 2 + blue)};
}

DR_INLINE dr_lanes channel(const uint16_t *factors, struct colour from) {
  dr_lanes_unsigned sum = dr_high_unsigned((dr_lanes_unsigned)(from.red << 8), factors[0]) +
                          dr_high_unsigned((dr_lanes_unsigned)(from.green << 8), factors[1]) +
                          dr_high_unsigned((dr_lanes_unsigned)(from.blue << 8), factors[2]);
  return __builtin_elementwise_min((dr_lanes)((sum + (32 + 1)) >> 6), dr_all(255));
}

DR_INLINE dr_lanes light_of(struct colour from) {
  dr_lanes_unsigned sum = dr_high_unsigned((dr_lanes_unsigned)(from.red << 8), 19595) +
                          dr_high_unsigned((dr_lanes_unsigned)(from.green << 8), 38470) +
                          dr_high_unsigned((dr_lanes_unsigned)(from.blue << 8), 7471);
  return (dr_lanes)((sum + (128 + 1)) >> 8);
}

DR_INLINE void clamped_lanes(struct phases *phases, const struct spread *spread, uint32_t i,
                             const struct dr_plane_map *map, uint8_t *cb_out, uint8_t *cr_out,
                             int across, int down) {
  enum { middle = (128 << 6) + 32 + 1 };
  dr_lanes red = dr_all(0), green = dr_all(0), blue = dr_all(0);
  for (int j = 0; j < down; j++)
    for (int k = 0; k < across; k++) {
      // libjpeg alternates between rounding a half up and down, so that the mean is unbiased.
      int16_t half = across == 2 && down == 2 ? (k ? 7 : 8) : (j || k ? 8 : 4);
      dr_lanes cb = (spread_across(spread->cb[j] + i, across, k) + half) >> 4;
      dr_lanes cr = (spread_across(spread->cr[j] + i, across, k) + half) >> 4;
      struct colour from = colour(phases->light[j][k], cb, cr);
      struct colour to = {channel(map->factors, from), channel(map->factors + 3, from),
                          channel(map->factors + 6, from)};
      phases->light[j][k] = light_of(to);
      red += to.red;
      green += to.green;
      blue += to.blue;
    }
  int16_t share = (int16_t)(128 / (across * down));
  red *= share;
  green *= share;
  blue *= share;
  dr_lanes cb = dr_high(red, -5529) + dr_high(green, -10855) + dr_high(blue, 16384);
  dr_lanes cr = dr_high(red, 16384) + dr_high(green, -13720) + dr_high(blue, -2664);
  dr_store_bytes(cb_out, dr_clamp((cb + middle) >> 6));
  dr_store_bytes(cr_out, dr_clamp((cr + middle) >> 6));
}

struct range {
  int32_t least, most;
};

// The range of `count` bytes in each row; the last bytes may be read twice.
DR_INLINE struct range range(const uint8_t *const *rows, int height, int64_t at, uint32_t count) {
  dr_bytes least, most;
  memcpy(&least, rows[0] + at, sizeof least);
  most = least;
  for (int j = 0; j < height; j++)
    for (uint32_t i = 0; i < count; i += sizeof least) {
      dr_bytes bytes;
      uint32_t last = count - (uint32_t)sizeof bytes;
      memcpy(&bytes, rows[j] + at + (i < last ? i : last), sizeof bytes);
      least = __builtin_elementwise_min(least, bytes);
      most = __builtin_elementwise_max(most, bytes);
    }
  return (struct range){__builtin_reduce_min(least), __builtin_reduce_max(most)};
}

// 1 if red, green and blue stay within 0...255 in the whole tile, before and after the matrix.
DR_INLINE int is_linear(const struct dr_plane_map *map, const struct dr_plane_rows *rows,
                        uint32_t at, int across, int down) {
  const uint8_t *lights[2] = {rows->light[0], rows->light[1]};
  struct range light =
      range(lights, down, (int64_t)at * across, DR_TILE * (uint32_t)across);
  // Without interpolation down, only the middle row counts.
  const uint8_t *const *cb_rows = rows->cb + (down == 1), *const *cr_rows = rows->cr + (down == 1);
  struct range cb = range(cb_rows, down == 1 ? 1 : 3, (int64_t)at - 1, DR_TILE + 2);
  struct range cr = range(cr_rows, down == 1 ? 1 : 3, (int64_t)at - 1, DR_TILE + 2);
  int is_within = 1;
  for (int c = 0; c < 6; c++) {
    const int32_t *bound = map->bounds[c];
    int32_t most_cb = bound[1] >= 0 ? cb.most : cb.least, least_cb = cb.most + cb.least - most_cb;
    int32_t most_cr = bound[2] >= 0 ? cr.most : cr.least, least_cr = cr.most + cr.least - most_cr;
    int32_t most = bound[0] * light.most + bound[1] * (most_cb - 128) + bound[2] * (most_cr - 128);
    int32_t least =
        bound[0] * light.least + bound[1] * (least_cb - 128) + bound[2] * (least_cr - 128);
    is_within &= most <= 255 << 12 && least >= 0;
  }
  return is_within;
}

DR_INLINE void apply_tile(const struct dr_plane_map *map, const struct dr_plane_rows *rows,
                          const struct spread *spread, uint32_t from, uint32_t at, int across,
                          int down) {
  // With chroma as fine as light, no averaging hides the rounding of red, green and blue.
  int linear = across * down > 1 && is_linear(map, rows, at, across, down);
  for (uint32_t x = at; x < at + DR_TILE; x += DR_LANES) {
    struct phases phases;
    uint32_t i = x - from;
    load_light(&phases, rows, x, across, down);
    if (linear) {
      linear_chroma(&phases, spread, i, map, rows->cb_out + x, rows->cr_out + x, across, down);
      linear_light(&phases, spread, i, map, across, down);
    } else {
      clamped_lanes(&phases, spread, i, map, rows->cb_out + x, rows->cr_out + x, across, down);
    }
    store_light(&phases, rows, x, across, down);
  }
}

DR_INLINE void apply(const struct dr_plane_map *map, const struct dr_plane_rows *rows, int across,
                     int down, uint32_t tiles) {
  struct spread spread;
  uint32_t end = tiles * DR_TILE;
  for (uint32_t from = 0; from < end; from += block) {
    uint32_t count = end - from < block ? end - from : block;
    spread_down(spread.cb, rows->cb, from, count, down);
    spread_down(spread.cr, rows->cr, from, count, down);
    if (across * down > 1) shift_light(&spread, map, count, down);
    for (uint32_t at = from; at < from + count; at += DR_TILE)
      apply_tile(map, rows, &spread, from, at, across, down);
  }
}

// Each sampling gets its own specialised code.
void DR_PLANE_ROWS_APPLY(const struct dr_plane_map *map, const struct dr_plane_rows *rows, int across,
                         int down, uint32_t tiles) {
  if (across == 2 && down == 2)
    apply(map, rows, 2, 2, tiles);
  else if (across == 2)
    apply(map, rows, 2, 1, tiles);
  else if (across == 4)
    apply(map, rows, 4, 1, tiles);
  else if (down == 2)
    apply(map, rows, 1, 2, tiles);
  else
    apply(map, rows, 1, 1, tiles);
}

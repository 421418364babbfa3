// SPDX-License-Identifier: Apache-2.0
// A colour matrix carried over to light and chroma, and what works on a few rows of them at a time.

#ifndef DARKROOM_PLANES_H
#define DARKROOM_PLANES_H

#include "include/CCodecs.h"

// A row is worked on in tiles of so many chroma samples; rows are readable and writable up to a
// whole number of tiles, and chroma rows one sample before.
enum { DR_TILE = 64 };

// Fixed point; the comments name the power of two that stands for one.
struct dr_plane_map {
  uint16_t light;            // 15: light from light
  int16_t light_cb, light_cr;  // 14: light from chroma
  int16_t blue, blue_cb, blue_cr;  // 16, 15, 15: Cb from light and chroma
  int16_t red, red_cb, red_cr;     // 16, 15, 15: Cr
  uint16_t factors[9];       // 14: the matrix itself
  // 12: red, green, blue before and after the matrix, of light and chroma; tells what may clip.
  int32_t bounds[6][3];
};

// One chroma row with its neighbours above and below, and the one or two rows of light it colours.
struct dr_plane_rows {
  uint8_t *light[2];  // in place
  const uint8_t *cb[3], *cr[3];
  uint8_t *cb_out, *cr_out;
};

// 0 where the matrix's numbers are too large for the fixed point above.
int dr_plane_map_make(struct dr_plane_map *map, const struct dr_matrix *matrix);

typedef void dr_plane_rows_function(const struct dr_plane_map *map,
                                    const struct dr_plane_rows *rows, int across, int down,
                                    uint32_t tiles);

// `across` x `down` is light's sampling: 1 x 1, 2 x 1, 1 x 2, 2 x 2 or 4 x 1. The result is the
// same on every processor.
dr_plane_rows_function dr_plane_rows_apply;
dr_plane_rows_function dr_plane_rows_apply_portable;
dr_plane_rows_function dr_plane_rows_apply_avx2;
dr_plane_rows_function dr_plane_rows_apply_avx512;

#endif

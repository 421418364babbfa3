// SPDX-License-Identifier: Apache-2.0
// A colour matrix converted to light and chroma, and its application to a few rows at a time.

#ifndef DARKROOM_PLANES_H
#define DARKROOM_PLANES_H

#include "include/CCodecs.h"

// The number of chroma samples in a tile. Rows are readable and writable up to a whole number of tiles, and
// chroma rows also one sample before their first.
enum { DR_TILE = 64 };

// Fixed point; each comment begins with the power of two that represents one.
struct dr_plane_map {
  uint16_t light;            // 15: light from light
  int16_t light_cb, light_cr;  // 14: light from chroma
  int16_t blue, blue_cb, blue_cr;  // 16, 15, 15: Cb from light and chroma
  int16_t red, red_cb, red_cr;     // 16, 15, 15: Cr
  uint16_t factors[9];       // 14: the matrix itself
  // 12: red, green, blue before and after the matrix, from light and chroma; shows where they may clip.
  int32_t bounds[6][3];
};

// One chroma row with its neighbours above and below, and its one or two rows of light.
struct dr_plane_rows {
  uint8_t *light[2];  // in place
  const uint8_t *cb[3], *cr[3];
  uint8_t *cb_out, *cr_out;
};

// Returns 0 if the matrix's factors are too large for the fixed point above.
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

// SPDX-License-Identifier: Apache-2.0
// The portable variant, and the choice among all variants.
#define DR_PLANE_ROWS_APPLY dr_plane_rows_apply_portable
#include "plane_tile.h"

#include "vectors.h"

void dr_plane_rows_apply(const struct dr_plane_map *map, const struct dr_plane_rows *rows,
                         int across, int down, uint32_t tiles) {
  switch (dr_vectors()) {
#if defined(__x86_64__)
    case DR_VECTORS_AVX512: return dr_plane_rows_apply_avx512(map, rows, across, down, tiles);
    case DR_VECTORS_AVX2: return dr_plane_rows_apply_avx2(map, rows, across, down, tiles);
#endif
    default: return dr_plane_rows_apply_portable(map, rows, across, down, tiles);
  }
}

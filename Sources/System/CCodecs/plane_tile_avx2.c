// SPDX-License-Identifier: Apache-2.0
// The variant for AVX2: sixteen registers of sixteen lanes.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "planes.h"

#define DR_PLANE_LANES_MULTIPLY
#define DR_PLANE_ROWS_APPLY dr_plane_rows_apply_avx2
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "plane_tile.h"
#pragma clang attribute pop
#endif

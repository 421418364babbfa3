// SPDX-License-Identifier: Apache-2.0
// Sixteen columns at a time, in the compiler's vectors, which it maps to any processor's instructions.
// Every operation is defined to the bit, so all processors compute the same.

#ifndef DARKROOM_PLANE_LANES_H
#define DARKROOM_PLANE_LANES_H

#include <stdint.h>
#include <string.h>

enum { DR_LANES = 16 };

// The half of a pair of bytes that comes first in memory: 0 the low one, 1 the high one.
#define DR_FIRST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 1)

// The passing of vector arguments depends on the processor; all calls here are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

typedef int16_t dr_lanes __attribute__((vector_size(32)));
typedef uint16_t dr_lanes_unsigned __attribute__((vector_size(32)));
typedef int32_t dr_lanes_wide __attribute__((vector_size(64)));
typedef uint32_t dr_lanes_wide_unsigned __attribute__((vector_size(64)));
typedef uint8_t dr_lanes_bytes __attribute__((vector_size(16)));
typedef uint8_t dr_bytes __attribute__((vector_size(32)));

#define DR_INLINE static inline __attribute__((always_inline))

DR_INLINE dr_lanes dr_all(int value) { return (dr_lanes){0} + (int16_t)value; }

// The upper half of the product.
#if defined(DR_PLANE_LANES_MULTIPLY)
// The compiler does not always recognise this instruction.
DR_INLINE dr_lanes dr_high(dr_lanes a, int16_t b) {
  return (dr_lanes)_mm256_mulhi_epi16((__m256i)a, _mm256_set1_epi16(b));
}

DR_INLINE dr_lanes_unsigned dr_high_unsigned(dr_lanes_unsigned a, uint16_t b) {
  return (dr_lanes_unsigned)_mm256_mulhi_epu16((__m256i)a, _mm256_set1_epi16((int16_t)b));
}
#else
DR_INLINE dr_lanes dr_high(dr_lanes a, int16_t b) {
  dr_lanes_wide product = __builtin_convertvector(a, dr_lanes_wide) *
                          __builtin_convertvector(dr_all(b), dr_lanes_wide);
  return __builtin_convertvector(product >> 16, dr_lanes);
}

DR_INLINE dr_lanes_unsigned dr_high_unsigned(dr_lanes_unsigned a, uint16_t b) {
  dr_lanes_unsigned all = (dr_lanes_unsigned){0} + b;
  dr_lanes_wide_unsigned product = __builtin_convertvector(a, dr_lanes_wide_unsigned) *
                                   __builtin_convertvector(all, dr_lanes_wide_unsigned);
  return __builtin_convertvector(product >> 16, dr_lanes_unsigned);
}
#endif

DR_INLINE dr_lanes dr_clamp(dr_lanes value) {
  return __builtin_elementwise_min(__builtin_elementwise_max(value, dr_all(0)), dr_all(255));
}

DR_INLINE dr_lanes dr_load(const int16_t *from) {
  dr_lanes lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

DR_INLINE void dr_store(int16_t *to, dr_lanes lanes) { memcpy(to, &lanes, sizeof lanes); }

DR_INLINE dr_lanes dr_load_bytes(const uint8_t *from) {
  dr_lanes_bytes bytes;
  memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, dr_lanes);
}

DR_INLINE void dr_store_bytes(uint8_t *to, dr_lanes lanes) {
  dr_lanes_bytes bytes = __builtin_convertvector(lanes, dr_lanes_bytes);
  memcpy(to, &bytes, sizeof bytes);
}

#endif

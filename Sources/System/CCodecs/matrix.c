// SPDX-License-Identifier: Apache-2.0
#include "include/CCodecs.h"
#include "vectors.h"

// The sum of three channels in millionths, plus a half, divided by a million = 64 x 15,625. The largest
// sum is below 2^31, so no step overflows.
static inline uint32_t channel(const int32_t *row, uint32_t red, uint32_t green, uint32_t blue) {
  uint32_t sum = (uint32_t)row[0] * red + (uint32_t)row[1] * green + (uint32_t)row[2] * blue;
  uint32_t value = ((sum + 500000) >> 6) / 15625;
  return value < 255 ? value : 255;
}

static void apply8_portable(const struct dr_matrix *matrix, uint8_t *pixels, uint64_t count) {
  const int32_t *rows = matrix->millionths;
  for (uint64_t i = 0; i < count; i++, pixels += 4) {
    uint32_t red = pixels[0], green = pixels[1], blue = pixels[2];
    pixels[0] = (uint8_t)channel(rows, red, green, blue);
    pixels[1] = (uint8_t)channel(rows + 3, red, green, blue);
    pixels[2] = (uint8_t)channel(rows + 6, red, green, blue);
  }
}

static void apply16_portable(const struct dr_matrix *matrix, uint16_t *pixels, uint64_t count) {
  const int32_t *rows = matrix->millionths;
  for (uint64_t i = 0; i < count; i++, pixels += 4) {
    uint64_t red = pixels[0], green = pixels[1], blue = pixels[2];
    for (int c = 0; c < 3; c++) {
      uint64_t sum = (uint64_t)rows[c * 3] * red + (uint64_t)rows[c * 3 + 1] * green +
                     (uint64_t)rows[c * 3 + 2] * blue;
      uint64_t value = (sum + 500000) / 1000000;
      pixels[c] = (uint16_t)(value < 65535 ? value : 65535);
    }
  }
}

#if defined(__x86_64__)
#include <immintrin.h>

// Factors are split into ten low and ten high bits: both halves fit the 16-bit multiplier.
struct factors {
  __m256i high_pair, high_one, low_pair, low_one;
};

static inline int32_t pair(int32_t low, int32_t high) {
  return (int32_t)((uint32_t)high << 16 | (uint32_t)low);
}

__attribute__((target("avx2"))) static struct factors factors(const int32_t *row) {
  enum { half = 500000 };  // added as the factor of a constant one
  struct factors f = {
      _mm256_set1_epi32(pair(row[0] >> 10, row[1] >> 10)),
      _mm256_set1_epi32(pair(row[2] >> 10, half >> 10)),
      _mm256_set1_epi32(pair(row[0] & 1023, row[1] & 1023)),
      _mm256_set1_epi32(pair(row[2] & 1023, half & 1023)),
  };
  return f;
}

// Computes the quotient by one float product. The sum has at most 24 bits and is exact as a float; below
// the clamp the product's error is less than half of 1/15,625, and the reciprocal is rounded up, so
// truncation gives the integer quotient (verified for every sum below 2^23; larger ones are clamped).
__attribute__((target("avx2"), always_inline)) static inline __m256i channel_avx2(
    const struct factors *f, __m256i pairs, __m256i ones) {
  __m256i high = _mm256_add_epi32(_mm256_madd_epi16(pairs, f->high_pair),
                                  _mm256_madd_epi16(ones, f->high_one));
  __m256i low = _mm256_add_epi32(_mm256_madd_epi16(pairs, f->low_pair),
                                 _mm256_madd_epi16(ones, f->low_one));
  __m256i sum = _mm256_srli_epi32(_mm256_add_epi32(_mm256_slli_epi32(high, 10), low), 6);
  __m256 quotient = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_set1_ps(0x1.0c6f7ap-14f));
  return _mm256_min_epi32(_mm256_cvttps_epi32(quotient), _mm256_set1_epi32(255));
}

__attribute__((target("avx2"))) static void apply8_avx2(const struct dr_matrix *matrix,
                                                        uint8_t *pixels, uint64_t count) {
  const struct factors red = factors(matrix->millionths);
  const struct factors green = factors(matrix->millionths + 3);
  const struct factors blue = factors(matrix->millionths + 6);
  const __m256i first = _mm256_setr_epi8(
      0, -1, 1, -1, 4, -1, 5, -1, 8, -1, 9, -1, 12, -1, 13, -1, 0, -1, 1, -1, 4, -1, 5, -1, 8, -1,
      9, -1, 12, -1, 13, -1);
  const __m256i one = _mm256_set1_epi32(1 << 16);
  const __m256i keep = _mm256_set1_epi32((int)0xFF000000);
  const __m256i third = _mm256_set1_epi32(0xFF);
  uint64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m256i *at = (__m256i *)(pixels + i * 4);
    __m256i value = _mm256_loadu_si256(at);
    __m256i pairs = _mm256_shuffle_epi8(value, first);
    __m256i ones = _mm256_or_si256(_mm256_and_si256(_mm256_srli_epi32(value, 16), third), one);
    __m256i r = channel_avx2(&red, pairs, ones);
    __m256i g = _mm256_slli_epi32(channel_avx2(&green, pairs, ones), 8);
    __m256i b = _mm256_slli_epi32(channel_avx2(&blue, pairs, ones), 16);
    __m256i rest = _mm256_or_si256(b, _mm256_and_si256(value, keep));
    _mm256_storeu_si256(at, _mm256_or_si256(_mm256_or_si256(r, g), rest));
  }
  apply8_portable(matrix, pixels + i * 4, count - i);
}
// One pixel at a time, its channels in parallel. Sums are whole numbers and exact as doubles; with an added
// half no sum is near a multiple of a million, so the rounded reciprocal changes no result. The fourth
// channel is multiplied by a million.
__attribute__((target("avx2"))) static void apply16_avx2(const struct dr_matrix *matrix,
                                                         uint16_t *pixels, uint64_t count) {
  const int32_t *m = matrix->millionths;
  const __m256d red = _mm256_setr_pd(m[0], m[3], m[6], 0);
  const __m256d green = _mm256_setr_pd(m[1], m[4], m[7], 0);
  const __m256d blue = _mm256_setr_pd(m[2], m[5], m[8], 0);
  const __m256d rest = _mm256_setr_pd(0, 0, 0, 1e6);
  const __m256d half = _mm256_set1_pd(500000.5), share = _mm256_set1_pd(1e-6);
  for (uint64_t i = 0; i < count; i++, pixels += 4) {
    __m256d from = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((__m128i *)pixels)));
    __m256d sum = _mm256_add_pd(half, _mm256_mul_pd(rest, from));
    sum = _mm256_add_pd(sum, _mm256_mul_pd(red, _mm256_permute4x64_pd(from, 0x00)));
    sum = _mm256_add_pd(sum, _mm256_mul_pd(green, _mm256_permute4x64_pd(from, 0x55)));
    sum = _mm256_add_pd(sum, _mm256_mul_pd(blue, _mm256_permute4x64_pd(from, 0xAA)));
    __m128i value = _mm256_cvttpd_epi32(_mm256_mul_pd(sum, share));
    _mm_storel_epi64((__m128i *)pixels, _mm_packus_epi32(value, value));
  }
}
#else
#define apply8_avx2 apply8_portable
#define apply16_avx2 apply16_portable
#endif

void dr_matrix_apply8(const struct dr_matrix *matrix, uint8_t *pixels, uint64_t count) {
  if (dr_vectors() >= DR_VECTORS_AVX2)
    apply8_avx2(matrix, pixels, count);
  else
    apply8_portable(matrix, pixels, count);
}

void dr_matrix_apply16(const struct dr_matrix *matrix, uint16_t *pixels, uint64_t count) {
  if (dr_vectors() >= DR_VECTORS_AVX2)
    apply16_avx2(matrix, pixels, count);
  else
    apply16_portable(matrix, pixels, count);
}

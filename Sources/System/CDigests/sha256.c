// SPDX-License-Identifier: Apache-2.0
#include "CDigests.h"

#include <stdatomic.h>
#include <string.h>

int dr_digests_is_portable(void);

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void blocks_portable(uint32_t state[8], const uint8_t *bytes, uint64_t blocks) {
  for (; blocks--; bytes += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
      w[i] = (uint32_t)bytes[i * 4] << 24 | (uint32_t)bytes[i * 4 + 1] << 16 |
             (uint32_t)bytes[i * 4 + 2] << 8 | bytes[i * 4 + 3];
    for (int i = 16; i < 64; i++) {
      uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
      uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i];
      uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// The instructions keep the state as ABEF and CDGH, and process two rounds per step and four message words
// at a time: m[i % 4] holds words 4i…4i+3 of the schedule.
__attribute__((target("sha,sse4.1"))) static void blocks_fast(uint32_t state[8], const uint8_t *bytes,
                                                              uint64_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bll, 0x0405060700010203ll);
  __m128i t = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i cdgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(t, cdgh, 8);
  cdgh = _mm_blend_epi16(cdgh, t, 0xF0);
  for (; blocks--; bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i m[4];
    for (int i = 0; i < 4; i++)
      m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), swap);
    // Unrolled, the schedule stays in registers: a third faster, as fast as OpenSSL's.
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      if (i >= 4) {
        __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]),
                                    _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4));
        m[i & 3] = _mm_sha256msg2_epu32(sum, m[(i + 3) & 3]);
      }
      __m128i wk = _mm_add_epi32(m[i & 3], _mm_loadu_si128((const __m128i *)(K + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  t = _mm_shuffle_epi32(abef, 0x1B);
  cdgh = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(t, cdgh, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(cdgh, t, 8));
}

static int has_fast(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) && __builtin_cpu_supports("sse4.1");
}
#else
#define blocks_fast blocks_portable
static int has_fast(void) { return 0; }
#endif

static void blocks(uint32_t state[8], const uint8_t *bytes, uint64_t count) {
  static atomic_int known = -1;  // every thread writes the same value
  int fast = atomic_load_explicit(&known, memory_order_relaxed);
  if (fast < 0) {
    fast = has_fast();
    atomic_store_explicit(&known, fast, memory_order_relaxed);
  }
  if (fast && !dr_digests_is_portable())
    blocks_fast(state, bytes, count);
  else
    blocks_portable(state, bytes, count);
}

void dr_sha256_start(struct dr_sha256 *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, start, sizeof start);
  hash->length = 0;
}

void dr_sha256_add(struct dr_sha256 *hash, const void *data, uint64_t count) {
  const uint8_t *bytes = data;
  uint64_t held = hash->length % 64;
  hash->length += count;
  if (held) {
    uint64_t room = 64 - held, taken = count < room ? count : room;
    memcpy(hash->block + held, bytes, taken);
    bytes += taken, count -= taken;
    if (held + taken < 64) return;
    blocks(hash->state, hash->block, 1);
  }
  blocks(hash->state, bytes, count / 64);
  memcpy(hash->block, bytes + count / 64 * 64, count % 64);
}

void dr_sha256_end(struct dr_sha256 *hash, uint8_t digest[32]) {
  uint64_t bits = hash->length * 8, held = hash->length % 64;
  uint8_t tail[128] = {0};
  memcpy(tail, hash->block, held);
  tail[held] = 0x80;
  uint64_t size = held < 56 ? 64 : 128;
  for (int i = 0; i < 8; i++) tail[size - 1 - i] = (uint8_t)(bits >> 8 * i);
  blocks(hash->state, tail, size / 64);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

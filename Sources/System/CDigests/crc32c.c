// SPDX-License-Identifier: Apache-2.0
#include "CDigests.h"

#include <stdatomic.h>
#include <string.h>

static atomic_int portable;
void dr_digests_portable(int forced) { portable = forced; }
int dr_digests_is_portable(void);
int dr_digests_is_portable(void) { return atomic_load_explicit(&portable, memory_order_relaxed); }

// Reflected polynomial of CRC-32C, one bit at a time: journal records are short, and processors of the last
// fifteen years use the other path.
static uint32_t crc_portable(uint32_t crc, const uint8_t *bytes, uint64_t count) {
  while (count--) {
    crc ^= *bytes++;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1)));
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_fast(uint32_t crc, const uint8_t *bytes,
                                                           uint64_t count) {
  uint64_t wide = crc;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  while (count--) crc = __builtin_ia32_crc32qi(crc, *bytes++);
  return crc;
}
static int has_fast(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
__attribute__((target("crc"))) static uint32_t crc_fast(uint32_t crc, const uint8_t *bytes,
                                                        uint64_t count) {
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    crc = __crc32cd(crc, word);
  }
  while (count--) crc = __crc32cb(crc, *bytes++);
  return crc;
}
static int has_fast(void) { return (getauxval(AT_HWCAP) & (1 << 7)) != 0; }
#else
#define crc_fast crc_portable
static int has_fast(void) { return 0; }
#endif

uint32_t dr_crc32c(uint32_t seed, const void *bytes, uint64_t count) {
  uint32_t crc = ~seed;
  crc = !dr_digests_is_portable() && has_fast() ? crc_fast(crc, bytes, count) : crc_portable(crc, bytes, count);
  return ~crc;
}

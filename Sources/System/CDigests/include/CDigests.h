// SPDX-License-Identifier: Apache-2.0
// Two checksums: SHA-256 (FIPS 180-4) and CRC-32C (RFC 3720). They use the processor's instructions for
// them (SHA-256 on x86-64 alone) or portable code, with the same results.

#ifndef DARKROOM_CDIGESTS_H
#define DARKROOM_CDIGESTS_H

#include <stdint.h>

struct dr_sha256 {
  uint32_t state[8];
  uint64_t length;
  uint8_t block[64];
};

void dr_sha256_start(struct dr_sha256 *hash);
void dr_sha256_add(struct dr_sha256 *hash, const void *bytes, uint64_t count);
void dr_sha256_end(struct dr_sha256 *hash, uint8_t digest[32]);

uint32_t dr_crc32c(uint32_t seed, const void *bytes, uint64_t count);

// For tests: 0 chooses by the processor, 1 forces the portable code.
void dr_digests_portable(int forced);

#endif

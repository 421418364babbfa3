// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSamples.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// glibc fills with the complement of the number's low byte, but not what a thread keeps for its next allocation: seven
// pieces of each size up to 1,032 bytes. Those are taken, filled and given back, which changes their first 16 bytes.
void sample_fill_heap(uint8_t byte) {
  enum { LARGEST = 1032, STEP = 16, EACH = 7 };
  void *pieces[EACH];
  mallopt(M_PERTURB, byte ? (uint8_t)~byte : 0);
  if (!byte) return;
  for (size_t size = LARGEST % STEP + STEP; size <= LARGEST; size += STEP) {
    for (int i = 0; i < EACH; i++)
      if ((pieces[i] = malloc(size))) memset(pieces[i], byte, size);
    for (int i = 0; i < EACH; i++) free(pieces[i]);
  }
}

void sample_free(void *memory) { free(memory); }

int32_t sample_file(void) { return memfd_create("sample", MFD_CLOEXEC); }

uint32_t sample_crc32(const uint8_t *bytes, size_t count) {
  uint32_t crc = 0xFFFFFFFF;
  while (count--) {
    crc ^= *bytes++;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

int32_t sample_exchange(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSamples.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

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

// SPDX-License-Identifier: Apache-2.0
// Pictures for tests: writes forms that the product reads but never writes, and reads prints
// independently of it, with plain libjpeg and libpng in memory. A writer aborts the test on any
// error.

#ifndef DARKROOM_CSAMPLES_H
#define DARKROOM_CSAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct sample_jpeg {
  uint32_t width, height;
  int32_t components;  // 1 grey, 3 RGB, 4 CMYK as stored
  int32_t quality;
  int32_t across, down;   // luma sampling; chroma is 1 x 1
  int32_t is_progressive;
  int32_t is_split;       // one scan a component, not progressive
  int32_t has_inverse;    // four components, with Adobe's marker
  int32_t is_ycck;
  int32_t is_rgb;         // three components, stored as they are
  int32_t is_arithmetic;
  int32_t restart_rows;
};

struct sample_png {
  uint32_t width, height;
  int32_t depth, colour;  // as in IHDR
  int32_t is_interlaced;
  int32_t palette_size, alpha_size;
  uint8_t palette[768];
  uint8_t alpha[256];
  int32_t has_key;  // tRNS of a picture without a palette
  uint16_t key[3];
};

struct sample_bytes {
  uint8_t *bytes;
  size_t count;
};

// A picture as read: four channels a pixel, in 16 bits each; 8-bit pictures keep their values
// 0...255.
struct sample_picture {
  uint32_t width, height;
  int32_t depth, has_alpha, components, is_interlaced, is_progressive;
  int32_t index_depth;  // of a PNG with a palette, else 0
  int32_t across[4], down[4];
  uint16_t tables[4][64];
  uint16_t *channels;
};

struct sample_bytes sample_jpeg_write(const struct sample_jpeg *form, const uint8_t *pixels);
// Rows as in IHDR: packed below 8 bits, big-endian at 16.
struct sample_bytes sample_png_write(const struct sample_png *form, const uint8_t *rows);
// These return 0 if the bytes were read without a warning, else -1.
int32_t sample_jpeg_read(const uint8_t *bytes, size_t count, struct sample_picture *picture);
int32_t sample_png_read(const uint8_t *bytes, size_t count, struct sample_picture *picture);
void sample_free(void *memory);
// A file without a name.
int32_t sample_file(void);
// Swaps two names in one step; returns -1 if the kernel refuses.
int32_t sample_exchange(const char *one, const char *other);
// From now on, new memory holds this byte: large pieces of the process, and the next small ones of this thread from their
// 17th byte on. 0 leaves it as it is.
void sample_fill_heap(uint8_t byte);
uint32_t sample_crc32(const uint8_t *bytes, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
// Pictures for the benchmarks, and the floor that JPEG filters are measured against.
//
//   pictures make FORM WIDTH HEIGHT SEED FILE   FORM: jpeg rgb rgba palette rgb16 drawing
//   pictures floor IN.jpg OUT.jpg               decode to RGB rows, encode at quality 90: no filter
//
// The photographs are octaves of noise with a little grain: they compress as photographs do.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>

enum { octaves = 7 };
static uint32_t seed;

static uint32_t mix(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

static float knot(uint32_t x, uint32_t y, uint32_t plane) {
  return (float)(mix(x * 73856093U ^ y * 19349663U ^ plane * 83492791U ^ seed) & 0xffff) / 65536;
}

/// One row of light: for each octave the two rows of knots around it are blended once.
static void light(float *row, int width, int y, uint32_t plane) {
  for (int x = 0; x < width; x++) row[x] = 0;
  float weight = 0.5f;
  for (int octave = 0; octave < octaves; octave++, weight *= 0.55f) {
    int step = 512 >> octave;
    float down = (float)(y % step) / step;
    uint32_t top = y / step, layer = plane * octaves + octave;
    float left = 0, right = 0;
    for (int x = 0; x < width; x++) {
      if (x % step == 0) {
        uint32_t k = x / step;
        left = knot(k, top, layer) * (1 - down) + knot(k, top + 1, layer) * down;
        right = knot(k + 1, top, layer) * (1 - down) + knot(k + 1, top + 1, layer) * down;
      }
      row[x] += weight * (left + (right - left) * (float)(x % step) / step);
    }
  }
}

static float *lights[3];

/// Light and two colours that vary slowly, as in nature; grain on top.
static void photo(uint16_t *rgb, int width, int y) {
  for (int plane = 0; plane < 3; plane++) light(lights[plane], width, y, plane);
  for (int x = 0; x < width; x++) {
    float l = lights[0][x] * 1.5f - 0.3f, warm = (lights[1][x] - 0.5f) * 0.5f;
    float cold = (lights[2][x] - 0.5f) * 0.5f;
    float grain = ((float)(mix(x * 2654435761U ^ y * 40503U ^ seed) & 255) - 128) / 128 * 0.012f;
    float parts[3] = {l + warm + grain, l + grain, l + cold + grain};
    for (int c = 0; c < 3; c++) {
      float v = parts[c] < 0 ? 0 : parts[c] > 1 ? 1 : parts[c];
      rgb[x * 3 + c] = (uint16_t)(v * 65535);
    }
  }
}

/// Flat fields with lines, as in a diagram.
static void drawing(uint16_t *rgb, int width, int y) {
  for (int x = 0; x < width; x++) {
    uint32_t field = mix((x / 160) * 31 + (y / 120) * 17 + seed);
    int line = x % 160 < 3 || y % 120 < 3 || (x + y) % 97 == 0;
    for (int c = 0; c < 3; c++)
      rgb[x * 3 + c] = line ? 0 : (uint16_t)((field >> (8 * c) & 0xf0) * 257);
  }
}

static void fail(const char *what) {
  fprintf(stderr, "pictures: %s\n", what);
  exit(1);
}

static void jpeg(FILE *file, uint16_t *wide, int width, int height) {
  struct jpeg_compress_struct out;
  struct jpeg_error_mgr errors;
  out.err = jpeg_std_error(&errors);
  jpeg_create_compress(&out);
  jpeg_stdio_dest(&out, file);
  out.image_width = width, out.image_height = height;
  out.input_components = 3, out.in_color_space = JCS_RGB;
  jpeg_set_defaults(&out);  // 4:2:0
  jpeg_set_quality(&out, 90, TRUE);
  jpeg_start_compress(&out, TRUE);
  JSAMPLE *row = malloc((size_t)width * 3);
  for (int y = 0; y < height; y++) {
    photo(wide, width, y);
    for (int i = 0; i < width * 3; i++) row[i] = wide[i] >> 8;
    jpeg_write_scanlines(&out, &row, 1);
  }
  jpeg_finish_compress(&out);
  jpeg_destroy_compress(&out);
  free(row);
}

static void png(FILE *file, uint16_t *wide, int width, int height, const char *form) {
  png_structp out = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(out);
  if (setjmp(png_jmpbuf(out))) fail("libpng gave up");
  int alpha = !strcmp(form, "rgba"), palette = !strcmp(form, "palette");
  int deep = !strcmp(form, "rgb16"), flat = !strcmp(form, "drawing");
  int kind = palette ? PNG_COLOR_TYPE_PALETTE : alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB;
  png_init_io(out, file);
  png_set_IHDR(out, info, width, height, deep ? 16 : 8, kind, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_color colours[256];
  for (int i = 0; i < 256; i++)
    colours[i] = (png_color){(i >> 5) * 36, (i >> 2 & 7) * 36, (i & 3) * 85};
  if (palette) png_set_PLTE(out, info, colours, 256);
  png_set_compression_level(out, 3);
  png_write_info(out, info);
  uint8_t *row = malloc((size_t)width * 8);
  for (int y = 0; y < height; y++) {
    (flat ? drawing : photo)(wide, width, y);
    for (int x = 0; x < width; x++) {
      uint16_t *p = wide + x * 3;
      if (palette) {
        row[x] = (p[0] >> 13) << 5 | (p[1] >> 13) << 2 | p[2] >> 14;
      } else if (deep) {
        for (int c = 0; c < 3; c++) row[x * 6 + c * 2] = p[c] >> 8, row[x * 6 + c * 2 + 1] = p[c];
      } else {
        uint8_t *q = row + x * (3 + alpha);
        q[0] = p[0] >> 8, q[1] = p[1] >> 8, q[2] = p[2] >> 8;
        if (alpha) q[3] = x + y;
      }
    }
    png_write_row(out, row);
  }
  png_write_end(out, info);
  png_destroy_write_struct(&out, &info);
  free(row);
}

static void copy(FILE *from, FILE *to) {
  struct jpeg_decompress_struct in;
  struct jpeg_compress_struct out;
  struct jpeg_error_mgr errors;
  in.err = out.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&in);
  jpeg_create_compress(&out);
  jpeg_stdio_src(&in, from);
  jpeg_read_header(&in, TRUE);
  in.out_color_space = JCS_RGB;
  jpeg_start_decompress(&in);
  jpeg_stdio_dest(&out, to);
  out.image_width = in.output_width, out.image_height = in.output_height;
  out.input_components = 3, out.in_color_space = JCS_RGB;
  jpeg_set_defaults(&out);
  jpeg_set_quality(&out, 90, TRUE);
  jpeg_start_compress(&out, TRUE);
  JSAMPLE *row = malloc((size_t)in.output_width * 3);
  while (in.output_scanline < in.output_height) {
    jpeg_read_scanlines(&in, &row, 1);
    jpeg_write_scanlines(&out, &row, 1);
  }
  jpeg_finish_compress(&out);
  jpeg_finish_decompress(&in);
  jpeg_destroy_compress(&out);
  jpeg_destroy_decompress(&in);
  free(row);
}

int main(int count, char **words) {
  if (count == 4 && !strcmp(words[1], "floor")) {
    FILE *from = fopen(words[2], "rb"), *to = fopen(words[3], "wb");
    if (!from || !to) fail("could not open a file");
    copy(from, to);
    return fclose(to) ? 1 : 0;
  }
  if (count != 7 || strcmp(words[1], "make")) fail("make FORM W H SEED FILE | floor IN OUT");
  int width = atoi(words[3]), height = atoi(words[4]);
  seed = mix((uint32_t)atoi(words[5]));
  FILE *file = fopen(words[6], "wb");
  if (!file) fail("could not open the file");
  uint16_t *wide = malloc((size_t)width * 6);
  for (int plane = 0; plane < 3; plane++) lights[plane] = malloc(sizeof(float) * width);
  if (!strcmp(words[2], "jpeg")) jpeg(file, wide, width, height);
  else png(file, wide, width, height, words[2]);
  return fclose(file) ? 1 : 0;
}

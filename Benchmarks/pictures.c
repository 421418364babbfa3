// SPDX-License-Identifier: Apache-2.0
// Pictures for the benchmarks, and the floor that JPEG filters are measured against.
//
//   pictures make FORM WIDTH HEIGHT SEED FILE   FORM: jpeg, or a kind of PNG: rgb rgba grey palette
//                                               rgb16; with the suffix -drawing, a drawing
//   pictures floor IN.jpg OUT.jpg [TIMES]       decode to RGB rows, encode at quality 90: no filter
//   pictures spin MILLIONS                      a loop of that many million turns that touches no memory
//
// Noise dominates the cost of compressing a photograph, so it is made as a camera makes it. The scene is smooth
// light and objects with edges. Each photosite adds independent noise, more of it in bright light. The colours
// of a pixel also use its neighbours, which blurs the noise. Nearly all 8-bit photographs have been a JPEG,
// which rounds away fine and faint detail, and so have these. Independent noise for each pixel on smooth light
// would never repeat and would hide the value of a search for repeats. 16-bit pictures come from the sensor
// data, with all its noise.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include <jpeglib.h>
#include <png.h>

enum { octaves = 8 };
static uint32_t seed;
static int picture_width, picture_height;

static uint32_t mix(uint32_t x) {
  x ^= x >> 16, x *= 0x7feb352dU, x ^= x >> 15, x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

static float knot(uint32_t x, uint32_t y, uint32_t plane) {
  return (float)(mix(x * 73856093U ^ y * 19349663U ^ plane * 83492791U ^ seed) & 0xffff) / 65536;
}

/// One row of light: for each octave, blends the two rows of knots around it.
static void light(float *row, int width, int y, uint32_t plane) {
  for (int x = 0; x < width; x++) row[x] = 0;
  float weight = 0.45f;
  for (int octave = 0; octave < octaves; octave++, weight *= 0.62f) {
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

enum { planes = 7 };
static float *lights[planes];

/// The scene: light and two colours that vary slowly, and overlapping objects.
static void scene(float *rgb, int width, int y) {
  for (int plane = 0; plane < planes; plane++) light(lights[plane], width, y, plane);
  for (int x = 0; x < width; x++) {
    float l = lights[0][x] * 1.2f - 0.15f, warm = (lights[1][x] - 0.5f) * 0.5f;
    float cold = (lights[2][x] - 0.5f) * 0.5f;
    for (int object = 3; object < planes; object++) {
      float inside = (lights[object][x] - 0.56f) * 60;  // an edge of a few pixels
      inside = inside < 0 ? 0 : inside > 1 ? 1 : inside;
      l += inside * ((float)(mix(object * 977U ^ seed) & 255) / 255 - 0.5f) * 0.7f;
      warm += inside * ((float)(mix(object * 991U ^ seed) & 255) / 255 - 0.5f) * 0.4f;
    }
    float parts[3] = {l + warm, l, l + cold};
    for (int c = 0; c < 3; c++) rgb[x * 3 + c] = parts[c] < 0 ? 0 : parts[c] > 1 ? 1 : parts[c];
  }
}

/// The sensor's values for a row; the noise is the sum of four random numbers.
static void expose(float *rgb, int width, int y) {
  scene(rgb, width, y);
  for (int i = 0; i < width * 3; i++) {
    uint32_t dice = mix(i * 2654435761U ^ mix(y * 40503U ^ seed));
    float sum = (dice & 255) + (dice >> 8 & 255) + (dice >> 16 & 255) + (dice >> 24);
    rgb[i] += (sum / 510 - 1) * 0.14f * sqrtf(rgb[i] + 0.02f);
  }
}

/// Call with rows in order. The colours of each pixel are a weighted mean of nine photosites.
static void photo(uint16_t *rgb, int width, int y) {
  static float *rows[3];
  if (!rows[0])
    for (int i = 0; i < 3; i++) rows[i] = malloc(sizeof(float) * width * 3);
  if (y == 0) expose(rows[0], width, 0), expose(rows[1], width, 1);
  expose(rows[(y + 2) % 3], width, y + 2);
  const float *top = rows[y % 3], *middle = rows[(y + 1) % 3], *low = rows[(y + 2) % 3];
  for (int i = 0; i < width * 3; i++) {
    int left = i < 3 ? i : i - 3, right = i + 3 < width * 3 ? i + 3 : i;
    float sum = top[left] + 2 * top[i] + top[right] + low[left] + 2 * low[i] + low[right];
    sum = (sum + 2 * middle[left] + 4 * middle[i] + 2 * middle[right]) / 16;
    rgb[i] = (uint16_t)((sum < 0 ? 0 : sum > 1 ? 1 : sum) * 65535);
  }
}

/// Flat fields with lines and discs with soft edges, as programs draw them.
static void drawing(uint16_t *rgb, int width, int y) {
  for (int x = 0; x < width; x++) {
    uint32_t field = mix((x / 160) * 31 + (y / 120) * 17 + seed), over = mix(field);
    float across = x % 160 - 80.0f, down = y % 120 - 60.0f;
    float disc = 12 + (field >> 24) / 6.0f - sqrtf(across * across + down * down);
    disc = disc < 0 ? 0 : disc > 1 ? 1 : disc;
    int line = x % 160 < 3 || y % 120 < 3 || (x + y) % 97 == 0;
    for (int c = 0; c < 3; c++) {
      float under = field >> (8 * c) & 0xf0, upon = over >> (8 * c) & 0xf0;
      rgb[x * 3 + c] = line ? 0 : (uint16_t)(under + (upon - under) * disc) * 257;
    }
  }
}

static void fail(const char *what) {
  fprintf(stderr, "pictures: %s\n", what);
  exit(1);
}

static void jpeg(FILE *file, uint16_t *wide, int width, int height, int quality) {
  struct jpeg_compress_struct out;
  struct jpeg_error_mgr errors;
  out.err = jpeg_std_error(&errors);
  jpeg_create_compress(&out);
  jpeg_stdio_dest(&out, file);
  out.image_width = width, out.image_height = height;
  out.input_components = 3, out.in_color_space = JCS_RGB;
  jpeg_set_defaults(&out);  // 4:2:0
  jpeg_set_quality(&out, quality, TRUE);
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

static struct jpeg_decompress_struct was;

/// The photograph after compression as a JPEG of good quality, row by row.
static void kept(uint16_t *rgb, int width, int y) {
  static JSAMPLE *row;
  static struct jpeg_error_mgr errors;
  if (!row) {
    FILE *file = tmpfile();
    if (!file) fail("no room for a JPEG");
    jpeg(file, rgb, width, picture_height, 92);
    rewind(file);
    was.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&was);
    jpeg_stdio_src(&was, file);
    jpeg_read_header(&was, TRUE);
    jpeg_start_decompress(&was);
    row = malloc((size_t)width * 3);
  }
  jpeg_read_scanlines(&was, &row, 1);
  for (int i = 0; i < width * 3; i++) rgb[i] = row[i] * 257;
}

static void put(uint8_t *to, const uint16_t *p, int x, int y, const char *form) {
  if (!strncmp(form, "palette", 7)) {
    // Dithered, as programs that make palettes do.
    static const int dither[4] = {0, 2, 3, 1};
    uint32_t more = dither[(x & 1) + 2 * (y & 1)] * 2048;
    uint32_t r = (p[0] + more) >> 13, g = (p[1] + more) >> 13, b = (p[2] + more * 2) >> 14;
    to[x] = (r < 7 ? r : 7) << 5 | (g < 7 ? g : 7) << 2 | (b < 3 ? b : 3);
  } else if (!strncmp(form, "rgb16", 5)) {
    for (int c = 0; c < 3; c++) to[x * 6 + c * 2] = p[c] >> 8, to[x * 6 + c * 2 + 1] = p[c];
  } else if (!strncmp(form, "grey", 4)) {
    to[x] = (p[0] + 2 * p[1] + p[2]) >> 10;
  } else if (!strncmp(form, "rgba", 4)) {
    for (int c = 0; c < 3; c++) to[x * 4 + c] = p[c] >> 8;
    // A cut-out with a soft edge.
    float across = (float)x / picture_width - 0.5f, down = (float)y / picture_height - 0.5f;
    float alpha = (1 - 2 * sqrtf(across * across + down * down)) * 2048;
    to[x * 4 + 3] = alpha < 0 ? 0 : alpha > 255 ? 255 : alpha;
  } else {
    for (int c = 0; c < 3; c++) to[x * 3 + c] = p[c] >> 8;
  }
}

static void png(FILE *file, uint16_t *wide, int width, int height, const char *form) {
  png_structp out = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(out);
  if (setjmp(png_jmpbuf(out))) fail("libpng gave up");
  int palette = !strncmp(form, "palette", 7), deep = !strncmp(form, "rgb16", 5);
  int kind = palette                     ? PNG_COLOR_TYPE_PALETTE
             : !strncmp(form, "grey", 4) ? PNG_COLOR_TYPE_GRAY
             : !strncmp(form, "rgba", 4) ? PNG_COLOR_TYPE_RGBA
                                         : PNG_COLOR_TYPE_RGB;
  int flat = strstr(form, "-drawing") != NULL;
  png_init_io(out, file);
  png_set_IHDR(out, info, width, height, deep ? 16 : 8, kind, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_color colours[256];
  for (int i = 0; i < 256; i++)
    colours[i] = (png_color){(i >> 5) * 36, (i >> 2 & 7) * 36, (i & 3) * 85};
  if (palette) png_set_PLTE(out, info, colours, 256);
  png_write_info(out, info);
  uint8_t *row = malloc((size_t)width * 8);
  for (int y = 0; y < height; y++) {
    (flat ? drawing : deep ? photo : kept)(wide, width, y);
    for (int x = 0; x < width; x++) put(row, wide + x * 3, x, y, form);
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
  if ((count == 4 || count == 5) && !strcmp(words[1], "floor")) {
    for (int left = count == 5 ? atoi(words[4]) : 1; left > 0; left--) {
      FILE *from = fopen(words[2], "rb"), *to = fopen(words[3], "wb");
      if (!from || !to) fail("could not open a file");
      copy(from, to);
      fclose(from);
      if (fclose(to)) return 1;
    }
    return 0;
  }
  if (count == 3 && !strcmp(words[1], "spin")) {
    uint32_t value = 1;
    for (long left = atol(words[2]) * 1000000; left > 0; left--) value = value * 1664525 + (value >> 16);
    return value == 0;
  }
  if (count != 7 || strcmp(words[1], "make"))
    fail("make FORM W H SEED FILE | floor IN OUT | spin MILLIONS");
  int width = picture_width = atoi(words[3]), height = picture_height = atoi(words[4]);
  seed = mix((uint32_t)atoi(words[5]));
  FILE *file = fopen(words[6], "wb");
  if (!file) fail("could not open the file");
  uint16_t *wide = malloc((size_t)width * 6);
  for (int plane = 0; plane < planes; plane++) lights[plane] = malloc(sizeof(float) * width);
  if (!strcmp(words[2], "jpeg")) jpeg(file, wide, width, height, 90);
  else png(file, wide, width, height, words[2]);
  return fclose(file) ? 1 : 0;
}

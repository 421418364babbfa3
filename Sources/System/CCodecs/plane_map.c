// SPDX-License-Identifier: Apache-2.0
// The matrix between two conversions of colour space, combined into one matrix. Integers only: compilers may
// contract floating point differently on each machine.
#include "planes.h"

// In millionths, from JFIF.
static const int64_t light_of[3] = {299000, 587000, 114000};
static const int64_t cb_of[3] = {0, -344136, 1772000};
static const int64_t cr_of[3] = {1402000, -714136, 0};
enum { blue_scale = 564334, red_scale = 713267, million = 1000000 };

static int64_t divide(int64_t value, int64_t by) {
  return (value >= 0 ? value + by / 2 : value - by / 2) / by;
}

static int64_t product(const int64_t *a, const int64_t *b) {
  return divide(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], million);
}

static int64_t fixed(int64_t millionths, int power) {
  return divide(millionths * (1 << power), million);
}

// Stores the number and returns whether it fits; 32768 is stored as 32767.
static int narrow(int16_t *to, int64_t millionths, int power) {
  int64_t value = fixed(millionths, power);
  *to = (int16_t)(value == 32768 ? 32767 : value);
  return value >= -32768 && value <= 32768;
}

// Converts a row for red, green and blue into a row for light, Cb and Cr.
static void turn(int64_t *to, const int64_t *row) {
  to[0] = row[0] + row[1] + row[2];
  to[1] = product(row, cb_of);
  to[2] = product(row, cr_of);
}

int dr_plane_map_make(struct dr_plane_map *map, const struct dr_matrix *matrix) {
  int64_t rows[3][3], light[3], blue[3], red[3], turned[3];
  for (int i = 0; i < 9; i++) {
    rows[i / 3][i % 3] = matrix->millionths[i];
    map->factors[i] = (uint16_t)fixed(matrix->millionths[i], 14);
  }
  for (int c = 0; c < 3; c++) {
    int64_t column[3] = {rows[0][c], rows[1][c], rows[2][c]};
    light[c] = product(light_of, column);
    blue[c] = divide((rows[2][c] - light[c]) * blue_scale, million);
    red[c] = divide((rows[0][c] - light[c]) * red_scale, million);
  }
  for (int i = 0; i < 6; i++) {
    int64_t plain[3] = {i == 0 ? million : 0, i == 1 ? million : 0, i == 2 ? million : 0};
    turn(turned, i < 3 ? plain : rows[i - 3]);
    for (int c = 0; c < 3; c++) map->bounds[i][c] = (int32_t)fixed(turned[c], 12);
  }
  turn(turned, light);
  int64_t gain = fixed(turned[0], 15);
  map->light = (uint16_t)gain;
  int fits = gain <= 65535;
  fits &= narrow(&map->light_cb, turned[1], 14) & narrow(&map->light_cr, turned[2], 14);
  turn(turned, blue);
  fits &= narrow(&map->blue, turned[0], 16);
  fits &= narrow(&map->blue_cb, turned[1], 15) & narrow(&map->blue_cr, turned[2], 15);
  turn(turned, red);
  fits &= narrow(&map->red, turned[0], 16);
  fits &= narrow(&map->red_cb, turned[1], 15) & narrow(&map->red_cr, turned[2], 15);
  return fits;
}

int32_t dr_matrix_suits_planes(const struct dr_matrix *matrix) {
  struct dr_plane_map map;
  return dr_plane_map_make(&map, matrix);
}

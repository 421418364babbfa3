// SPDX-License-Identifier: Apache-2.0
// libjpeg and libpng behind "rows in, rows out, a code on trouble". Both libraries report errors by
// longjmp: the C function that called the library catches it, so it never crosses a Swift frame.
// Rows have four channels per pixel (red, green, blue, alpha or filler) of 8 or 16 bits each, in the
// machine's byte order. Descriptors are read and written at explicit offsets and never closed here.

#ifndef DARKROOM_CCODECS_H
#define DARKROOM_CCODECS_H

#include <stddef.h>
#include "deflate.h"
#include "thumbnail.h"

#include <stdint.h>

enum {
  DR_CODEC_DAMAGED = 1,
  DR_CODEC_TRUNCATED = 2,
  DR_CODEC_UNSUPPORTED = 3,
  DR_CODEC_PIXELS = 4,
  DR_CODEC_MEMORY = 5,
  DR_CODEC_SCANS = 6,
  DR_CODEC_READ = 7,   // `system` is the kernel's error number
  DR_CODEC_WRITE = 8,  // likewise
};

struct dr_trouble {
  int32_t code;  // 0 without trouble
  int32_t system;
  char words[248];
};

struct dr_codec_limits {
  uint64_t pixels;
  uint64_t memory;
  uint32_t scans;
};

// A colour matrix in millionths, row by row; no factor is negative or above one million.
struct dr_matrix {
  int32_t millionths[9];
};

// On trouble, a function with a `trouble` argument returns -1 or NULL.

struct dr_jpeg_header {
  uint32_t width, height;
  uint8_t has_planes;  // dr_jpeg_planes_develop replaces dr_jpeg_reader_rows
};

struct dr_jpeg_reader;
struct dr_jpeg_writer;

// Checks the header against the limits before it allocates anything that depends on the size. If planes
// are wanted, the header says whether this picture has them.
struct dr_jpeg_reader *dr_jpeg_reader_open(int fd, const struct dr_codec_limits *limits,
                                           int32_t wants_planes, struct dr_jpeg_header *header,
                                           struct dr_trouble *trouble);
// Up to `count` rows of width x 4 bytes; fewer only at the end of the picture.
int32_t dr_jpeg_reader_rows(struct dr_jpeg_reader *reader, uint8_t *rows, uint64_t stride,
                            uint32_t count, struct dr_trouble *trouble);
// Reads up to the end marker; it must be present.
int32_t dr_jpeg_reader_finish(struct dr_jpeg_reader *reader, struct dr_trouble *trouble);
void dr_jpeg_reader_close(struct dr_jpeg_reader *reader);

// Baseline, with the sampling and, if `quality` is 0, the quantisation tables of `like`.
struct dr_jpeg_writer *dr_jpeg_writer_open(int fd, struct dr_jpeg_reader *like, int32_t quality,
                                           struct dr_trouble *trouble);
// For a thumbnail: its size and form, without JFIF's density.
struct dr_jpeg_writer *dr_jpeg_writer_open_thumbnail(int fd, const struct dr_thumbnail *thumbnail,
                                                     int32_t quality, struct dr_trouble *trouble);
int32_t dr_jpeg_writer_thumbnail(struct dr_jpeg_writer *writer,
                                 const struct dr_thumbnail *thumbnail, struct dr_trouble *trouble);
// Only before the first row.
int32_t dr_jpeg_writer_marker(struct dr_jpeg_writer *writer, int32_t marker, const uint8_t *bytes,
                              uint32_t count, struct dr_trouble *trouble);
int32_t dr_jpeg_writer_rows(struct dr_jpeg_writer *writer, const uint8_t *rows, uint64_t stride,
                            uint32_t count, struct dr_trouble *trouble);
int64_t dr_jpeg_writer_finish(struct dr_jpeg_writer *writer, struct dr_trouble *trouble);
void dr_jpeg_writer_close(struct dr_jpeg_writer *writer);

// Develops the whole picture from a reader that has planes to a writer made like it. `thumbnail` may be NULL.
int32_t dr_jpeg_planes_develop(struct dr_jpeg_reader *reader, struct dr_jpeg_writer *writer,
                               const struct dr_matrix *matrix, struct dr_thumbnail *thumbnail,
                               struct dr_trouble *trouble);
// 1 if planes can be developed with this matrix: its factors fit the fixed-point numbers there.
int32_t dr_matrix_suits_planes(const struct dr_matrix *matrix);

struct dr_png_header {
  uint32_t width, height;
  uint8_t depth;  // of the rows: 8 or 16
  uint8_t has_alpha;
  uint8_t is_grey;  // in the file; the rows are in colour
  uint8_t is_interlaced;
  uint8_t is_palette;  // dr_png_palette_develop replaces dr_png_reader_rows
  uint8_t index_depth;  // bits of a palette index: 1, 2, 4 or 8; without a palette 0
};

struct dr_png_reader;
struct dr_png_writer;

struct dr_png_reader *dr_png_reader_open(int fd, const struct dr_codec_limits *limits,
                                         struct dr_png_header *header, struct dr_trouble *trouble);
int32_t dr_png_reader_rows(struct dr_png_reader *reader, uint8_t *rows, uint64_t stride,
                           uint32_t count, struct dr_trouble *trouble);
int32_t dr_png_reader_finish(struct dr_png_reader *reader, struct dr_trouble *trouble);
void dr_png_reader_close(struct dr_png_reader *reader);

struct dr_png_writer *dr_png_writer_open(int fd, const struct dr_png_header *header,
                                         struct dr_trouble *trouble);
// A chunk in pieces, only before the first row: start, data any number of times, end.
int32_t dr_png_writer_chunk(struct dr_png_writer *writer, const uint8_t name[4], uint32_t length,
                            struct dr_trouble *trouble);
int32_t dr_png_writer_chunk_data(struct dr_png_writer *writer, const uint8_t *bytes,
                                 uint32_t count, struct dr_trouble *trouble);
int32_t dr_png_writer_chunk_end(struct dr_png_writer *writer, struct dr_trouble *trouble);
int32_t dr_png_writer_rows(struct dr_png_writer *writer, const uint8_t *rows, uint64_t stride,
                           uint32_t count, struct dr_trouble *trouble);
int64_t dr_png_writer_finish(struct dr_png_writer *writer, struct dr_trouble *trouble);
void dr_png_writer_close(struct dr_png_writer *writer);

// Develops the whole picture from a reader that has a palette to a writer made like it: the matrix changes
// the palette; transparency and indices stay. `thumbnail` may be NULL.
int32_t dr_png_palette_develop(struct dr_png_reader *reader, struct dr_png_writer *writer,
                               const struct dr_matrix *matrix, struct dr_thumbnail *thumbnail,
                               struct dr_trouble *trouble);

// In place, rounded to nearest (half up), clamped; the fourth channel stays. The result is exact on
// every processor.
void dr_matrix_apply8(const struct dr_matrix *matrix, uint8_t *pixels, uint64_t count);
void dr_matrix_apply16(const struct dr_matrix *matrix, uint16_t *pixels, uint64_t count);
// For tests: the fastest code that this thread may use, if the processor supports it. 0 portable, 1 AVX2,
// 2 AVX-512.
void dr_vectors_limit(int most);

#endif

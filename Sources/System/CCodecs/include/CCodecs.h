// SPDX-License-Identifier: Apache-2.0
// libjpeg and libpng behind "rows in, rows out, a code on trouble". Both libraries report errors by
// longjmp: every one is caught in the C function that made the call, and no Swift frame lies
// between. All rows are four channels wide (red, green, blue, alpha or filler), 8 or 16 bits a
// channel in the machine's own byte order. Descriptors are read and written at given offsets and
// never closed here.

#ifndef DARKROOM_CCODECS_H
#define DARKROOM_CCODECS_H

#include <stddef.h>
#include "deflate.h"
#include "inflate.h"

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
  int32_t code;  // 0 as long as all is well
  int32_t system;
  char words[248];
};

struct dr_codec_limits {
  uint64_t pixels;
  uint64_t memory;
  uint32_t scans;
};

// A colour matrix in millionths, row by row; none is negative and none above one million.
struct dr_matrix {
  int32_t millionths[9];
};

// All functions that answer a number answer -1 on trouble, all that answer a pointer NULL.

enum { DR_JPEG_GREY = 1, DR_JPEG_YCC = 2, DR_JPEG_RGB = 3, DR_JPEG_CMYK = 4, DR_JPEG_YCCK = 5 };

struct dr_jpeg_header {
  uint32_t width, height;
  uint8_t components;
  uint8_t space;
  uint8_t is_progressive;
  uint8_t is_buffered;  // progressive, or its components in several scans: one whole image is held
  uint8_t has_jfif, density_unit;
  uint16_t density_x, density_y;
  uint8_t across[4], down[4];  // sampling factors of the components
  uint8_t has_planes;          // it is read by planes and not by rows
};

struct dr_jpeg_reader;
struct dr_jpeg_writer;

// Judges the header against the limits before anything that depends on it is allocated. Where
// planes are wanted, the header says whether this picture has them.
struct dr_jpeg_reader *dr_jpeg_reader_open(int fd, const struct dr_codec_limits *limits,
                                           int32_t wants_planes, struct dr_jpeg_header *header,
                                           struct dr_trouble *trouble);
// Up to `count` rows of width x 4 bytes; fewer only at the end of the picture.
int32_t dr_jpeg_reader_rows(struct dr_jpeg_reader *reader, uint8_t *rows, uint64_t stride,
                            uint32_t count, struct dr_trouble *trouble);
// Reads on to the end marker; it must be there.
int32_t dr_jpeg_reader_finish(struct dr_jpeg_reader *reader, struct dr_trouble *trouble);
void dr_jpeg_reader_close(struct dr_jpeg_reader *reader);

// Baseline, with the sampling and, where `quality` is 0, the quantisation tables of `like`.
struct dr_jpeg_writer *dr_jpeg_writer_open(int fd, struct dr_jpeg_reader *like, int32_t quality,
                                           struct dr_trouble *trouble);
// Before the first row.
int32_t dr_jpeg_writer_marker(struct dr_jpeg_writer *writer, int32_t marker, const uint8_t *bytes,
                              uint32_t count, struct dr_trouble *trouble);
int32_t dr_jpeg_writer_rows(struct dr_jpeg_writer *writer, const uint8_t *rows, uint64_t stride,
                            uint32_t count, struct dr_trouble *trouble);
int64_t dr_jpeg_writer_finish(struct dr_jpeg_writer *writer, struct dr_trouble *trouble);
void dr_jpeg_writer_close(struct dr_jpeg_writer *writer);

// The whole picture from a reader that has planes to a writer like it, through the matrix.
int32_t dr_jpeg_planes_develop(struct dr_jpeg_reader *reader, struct dr_jpeg_writer *writer,
                               const struct dr_matrix *matrix, struct dr_trouble *trouble);
// Whether planes can be developed with this matrix: its numbers must fit the fixed point there.
int32_t dr_matrix_suits_planes(const struct dr_matrix *matrix);

struct dr_png_header {
  uint32_t width, height;
  uint8_t depth;  // of the rows: 8 or 16
  uint8_t has_alpha;
  uint8_t is_grey;  // in the file; the rows are in colour
  uint8_t is_interlaced;
  uint8_t is_palette;  // it is developed as a palette, and has no rows of channels
  uint8_t index_depth;  // of a palette's indices: 1, 2, 4 or 8, else 0
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
// A chunk that comes in pieces, before the first row: start, data any number of times, end.
int32_t dr_png_writer_chunk(struct dr_png_writer *writer, const uint8_t name[4], uint32_t length,
                            struct dr_trouble *trouble);
int32_t dr_png_writer_chunk_data(struct dr_png_writer *writer, const uint8_t *bytes,
                                 uint32_t count, struct dr_trouble *trouble);
int32_t dr_png_writer_chunk_end(struct dr_png_writer *writer, struct dr_trouble *trouble);
int32_t dr_png_writer_rows(struct dr_png_writer *writer, const uint8_t *rows, uint64_t stride,
                           uint32_t count, struct dr_trouble *trouble);
int64_t dr_png_writer_finish(struct dr_png_writer *writer, struct dr_trouble *trouble);
void dr_png_writer_close(struct dr_png_writer *writer);

// The whole picture from a reader that has a palette to a writer like it: the palette through the
// matrix, transparency and indices as they are.
int32_t dr_png_palette_develop(struct dr_png_reader *reader, struct dr_png_writer *writer,
                               const struct dr_matrix *matrix, struct dr_trouble *trouble);

// In place, rounded to nearest (a half goes up), clamped; the fourth channel stays as it is.
// The result is the exact one on every processor.
void dr_matrix_apply8(const struct dr_matrix *matrix, uint8_t *pixels, uint64_t count);
void dr_matrix_apply16(const struct dr_matrix *matrix, uint16_t *pixels, uint64_t count);
// For tests: the best code to be used on this thread, where the processor has it. 0 portable, 1 AVX2,
// 2 AVX-512.
void dr_vectors_limit(int most);

#endif

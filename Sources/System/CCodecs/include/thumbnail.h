// SPDX-License-Identifier: Apache-2.0
// A thumbnail of a picture whose rows pass by. Rows that do not come leave it unfinished, which is not an error:
// the caller then has no thumbnail.

#ifndef DARKROOM_THUMBNAIL_H
#define DARKROOM_THUMBNAIL_H

#include <stdint.h>

enum { DR_GRID_WIDTH = 4, DR_GRID_HEIGHT = 3, DR_GRID_BYTES = DR_GRID_WIDTH * DR_GRID_HEIGHT * 3 };

struct dr_thumbnail;

struct dr_thumbnail_form {
  uint32_t width, height;
  int32_t is_light;  // pixels are light and chroma, not red, green and blue
};

// At most `most` pixels high and four times as wide as that, never larger than the picture as its
// orientation (1 to 8, as in EXIF) shows it. NULL without memory.
struct dr_thumbnail *dr_thumbnail_open(uint32_t width, uint32_t height, int32_t orientation,
                                       uint32_t most);
void dr_thumbnail_close(struct dr_thumbnail *thumbnail);
// Rows of four channels; with `alpha` the fourth one counts, and the thumbnail lies on white. -1 without memory.
int32_t dr_thumbnail_rows8(struct dr_thumbnail *thumbnail, const uint8_t *rows, uint64_t stride,
                           uint32_t count, int32_t alpha);
int32_t dr_thumbnail_rows16(struct dr_thumbnail *thumbnail, const uint16_t *rows, uint64_t stride,
                            uint32_t count, int32_t alpha);
// Every row has come.
int dr_thumbnail_is_whole(const struct dr_thumbnail *thumbnail);
// Turns it as its orientation says; once all rows have come. -1 without memory.
int dr_thumbnail_turn(struct dr_thumbnail *thumbnail);
struct dr_thumbnail_form dr_thumbnail_form(const struct dr_thumbnail *thumbnail);
const uint8_t *dr_thumbnail_row(const struct dr_thumbnail *thumbnail, uint32_t y);
// Red, green and blue of 4 x 3 parts, row by row.
void dr_thumbnail_grid(const struct dr_thumbnail *thumbnail, uint8_t *grid);

#endif

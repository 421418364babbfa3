// SPDX-License-Identifier: Apache-2.0
// The ways of the codecs into a thumbnail.

#ifndef DARKROOM_THUMBNAIL_FEED_H
#define DARKROOM_THUMBNAIL_FEED_H

#include "include/thumbnail.h"

// The rows come as planes of light (0), Cb (1) and Cr (2); -1 without memory.
int dr_thumbnail_planes(struct dr_thumbnail *thumbnail, uint32_t chroma_width,
                        uint32_t chroma_height);
void dr_thumbnail_plane(struct dr_thumbnail *thumbnail, int place, const uint8_t *row);
// The rows that came before are not valid any more.
void dr_thumbnail_flush(struct dr_thumbnail *thumbnail);
// One row of palette indices, each of `depth` bits; `colours` has four channels each, over white already.
int dr_thumbnail_indices(struct dr_thumbnail *thumbnail, const uint8_t *row, int depth,
                         const uint8_t colours[256 * 4]);
void dr_thumbnail_flatten(uint8_t colours[256 * 4]);

#endif

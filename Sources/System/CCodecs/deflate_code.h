// SPDX-License-Identifier: Apache-2.0
// Huffman's codes with words of bounded length.

#ifndef DARKROOM_DEFLATE_CODE_H
#define DARKROOM_DEFLATE_CODE_H

#include "deflate_stream.h"

struct dr_code {
  uint8_t lengths[DR_LITERALS];
  uint16_t words[DR_LITERALS];  // the first bit lowest
};

// The code for symbols used so often, no word longer than `longest` (15 at most). A code has two
// words at least, as some decoders refuse an incomplete one: an unused symbol then counts as used.
void dr_code_build(struct dr_code *code, uint32_t *uses, uint32_t symbols, uint32_t longest);

#endif

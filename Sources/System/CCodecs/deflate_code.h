// SPDX-License-Identifier: Apache-2.0
// Huffman codes with words of bounded length.

#ifndef DARKROOM_DEFLATE_CODE_H
#define DARKROOM_DEFLATE_CODE_H

#include "deflate_stream.h"

struct dr_code {
  uint8_t lengths[DR_LITERALS];
  uint16_t words[DR_LITERALS];  // the first bit lowest
};

// Builds the code for symbols with these numbers of uses; no word is longer than `longest` (at most 15).
// A code has at least two words, since some decoders refuse an incomplete one: if fewer symbols are used,
// unused ones count as used once.
void dr_code_build(struct dr_code *code, uint32_t *uses, uint32_t symbols, uint32_t longest);

#endif

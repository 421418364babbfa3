// SPDX-License-Identifier: Apache-2.0
// Shared by both codecs: buffered input and output by descriptor and offset, and troubles in words.

#ifndef DARKROOM_CODEC_H
#define DARKROOM_CODEC_H

#include "include/CCodecs.h"

enum { DR_BUFFER = 1 << 16, DR_LONGEST_SIDE = 1000000 };

struct dr_input {
  int fd;
  int system;  // the error number of a failed read
  int ended;   // the file ended although more bytes were needed
  uint64_t offset;
  size_t have;
  uint8_t buffer[DR_BUFFER];
};

struct dr_output {
  int fd;
  int system;
  uint64_t offset;
  size_t have;
  uint8_t buffer[DR_BUFFER];
};

// Reads the next bytes into the buffer: returns their number, 0 at the end, -1 with `system` set.
long dr_input_fill(struct dr_input *input);
// Writes the buffer to the file: returns 0, or -1 with `system` set.
int dr_output_drain(struct dr_output *output);

// Every reader calls it with the sides that its library has read from the header that it decodes by, before anything
// that depends on the size is allocated: returns 0 with words if the limits do not allow them.
int dr_codec_admit(uint32_t width, uint32_t height, const struct dr_codec_limits *limits,
                   struct dr_trouble *trouble);
__attribute__((format(printf, 3, 4))) void dr_codec_say(struct dr_trouble *trouble, int code,
                                                  const char *format, ...);
void dr_say_system(struct dr_trouble *trouble, int code, int system);

#endif

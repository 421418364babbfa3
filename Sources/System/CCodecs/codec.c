// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "codec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

long dr_input_fill(struct dr_input *input) {
  ssize_t count;
  do count = pread(input->fd, input->buffer, DR_BUFFER, (off_t)input->offset);
  while (count < 0 && errno == EINTR);
  if (count < 0) {
    input->system = errno;
    return -1;
  }
  input->offset += (uint64_t)count;
  input->have = (size_t)count;
  if (count == 0) input->ended = 1;
  return count;
}

int dr_output_drain(struct dr_output *output) {
  size_t done = 0;
  while (done < output->have) {
    ssize_t count = pwrite(output->fd, output->buffer + done, output->have - done,
                           (off_t)(output->offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      output->system = count < 0 ? errno : EIO;
      return -1;
    }
    done += (size_t)count;
  }
  output->offset += done;
  output->have = 0;
  return 0;
}

int dr_codec_admit(uint32_t width, uint32_t height, const struct dr_codec_limits *limits,
                   struct dr_trouble *trouble) {
  if ((uint64_t)width * height > limits->pixels) {
    dr_codec_say(trouble, DR_CODEC_PIXELS, "it has %u x %u pixels; the limit is %llu", width, height,
           (unsigned long long)limits->pixels);
    return 0;
  }
  if (width > DR_LONGEST_SIDE || height > DR_LONGEST_SIDE) {
    dr_codec_say(trouble, DR_CODEC_PIXELS, "one of its sides is longer than %d pixels", DR_LONGEST_SIDE);
    return 0;
  }
  return 1;
}

void dr_codec_say(struct dr_trouble *trouble, int code, const char *format, ...) {
  va_list arguments;
  trouble->code = code;
  trouble->system = 0;
  va_start(arguments, format);
  vsnprintf(trouble->words, sizeof trouble->words, format, arguments);
  va_end(arguments);
}

void dr_say_system(struct dr_trouble *trouble, int code, int system) {
  trouble->code = code;
  trouble->system = system;
  trouble->words[0] = 0;
}

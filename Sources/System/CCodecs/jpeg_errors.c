// SPDX-License-Identifier: Apache-2.0
#include "jpeg_codec.h"

#include <jerror.h>

static const char *coding(int marker) {
  switch (marker) {
    case 0xC3:
      return "lossless coding";
    case 0xC5:
    case 0xC6:
    case 0xC7:
      return "hierarchical coding";
    case 0xC9:
    case 0xCA:
      return "arithmetic coding";
    case 0xCB:
      return "lossless arithmetic coding";
    default:
      return "hierarchical arithmetic coding";
  }
}

// Translates libjpeg's error into one of our codes; keeps its text if that says more than the code.
static void judge(struct dr_jpeg_escape *escape, struct jpeg_common_struct *codec) {
  struct dr_trouble *trouble = escape->trouble;
  struct jpeg_error_mgr *error = &escape->base;
  char text[JMSG_LENGTH_MAX];
  int first = error->msg_parm.i[0];
  switch (error->msg_code) {
    case JERR_BAD_PRECISION:
      dr_codec_say(trouble, DR_CODEC_UNSUPPORTED, "it has %d bits per sample; only 8 are supported", first);
      return;
    case JERR_SOF_UNSUPPORTED:
      dr_codec_say(trouble, DR_CODEC_UNSUPPORTED, "it uses %s, which is not supported", coding(first));
      return;
    case JERR_ARITH_NOTIMPL:
      dr_codec_say(trouble, DR_CODEC_UNSUPPORTED, "it uses arithmetic coding, which is not supported");
      return;
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_COMPONENT_COUNT:
      error->format_message((j_common_ptr)codec, text);
      dr_codec_say(trouble, DR_CODEC_UNSUPPORTED, "it has a form that is not supported (%s)", text);
      return;
    case JERR_IMAGE_TOO_BIG:
      dr_codec_say(trouble, DR_CODEC_PIXELS, "one of its sides is longer than %d pixels", first);
      return;
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
      dr_codec_say(trouble, DR_CODEC_MEMORY, "it needs more memory than is allowed");
      return;
    default:
      error->format_message((j_common_ptr)codec, text);
      dr_codec_say(trouble, DR_CODEC_DAMAGED, "%s", text);
  }
}

static void leave(j_common_ptr codec) {
  struct dr_jpeg_escape *escape = (struct dr_jpeg_escape *)codec->err;
  // A trouble that our own code has set stays.
  if (escape->trouble->code == 0) {
    if (escape->input && escape->input->system)
      dr_say_system(escape->trouble, DR_CODEC_READ, escape->input->system);
    else if (escape->output && escape->output->system)
      dr_say_system(escape->trouble, DR_CODEC_WRITE, escape->output->system);
    else
      judge(escape, codec);
  }
  longjmp(escape->back, 1);
}

// A warning of libjpeg means that it guessed pixels: treat it as an error.
static void warn(j_common_ptr codec, int level) {
  if (level < 0) leave(codec);
}

static void print_nothing(j_common_ptr codec) { (void)codec; }

struct jpeg_error_mgr *dr_jpeg_escape_prepare(struct dr_jpeg_escape *escape) {
  jpeg_std_error(&escape->base);
  escape->base.error_exit = leave;
  escape->base.emit_message = warn;
  escape->base.output_message = print_nothing;
  return &escape->base;
}

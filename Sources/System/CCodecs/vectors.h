// SPDX-License-Identifier: Apache-2.0
// The variant of the code to run: the processor's best, unless a test sets a lower limit.

#ifndef DARKROOM_VECTORS_H
#define DARKROOM_VECTORS_H

enum dr_vectors { DR_VECTORS_PORTABLE, DR_VECTORS_AVX2, DR_VECTORS_AVX512 };

enum dr_vectors dr_vectors(void);

#endif

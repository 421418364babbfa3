// SPDX-License-Identifier: Apache-2.0
// Which code to run: what the processor has, unless a test asks for less.

#ifndef DARKROOM_VECTORS_H
#define DARKROOM_VECTORS_H

enum dr_vectors { DR_VECTORS_PORTABLE, DR_VECTORS_AVX2, DR_VECTORS_AVX512 };

enum dr_vectors dr_vectors(void);

#endif

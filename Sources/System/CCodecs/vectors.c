// SPDX-License-Identifier: Apache-2.0
#include "vectors.h"

#include "include/CCodecs.h"

// Per thread: tests run in parallel.
static _Thread_local int limit = DR_VECTORS_AVX512;
void dr_vectors_limit(int most) { limit = most; }

static int best(void) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return DR_VECTORS_PORTABLE;
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl")
             ? DR_VECTORS_AVX512
             : DR_VECTORS_AVX2;
#else
  return DR_VECTORS_PORTABLE;
#endif
}

enum dr_vectors dr_vectors(void) {
  int have = best();
  return (enum dr_vectors)(have < limit ? have : limit);
}

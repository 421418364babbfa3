// SPDX-License-Identifier: Apache-2.0
// Wakes a sleeping thread without the use of a descriptor. Results as in CLinux.h.

#ifndef DARKROOM_THREAD_SIGNAL_H
#define DARKROOM_THREAD_SIGNAL_H

#include <stdint.h>

struct dr_thread_signal;

struct dr_thread_signal *dr_thread_signal_make(void);
int dr_thread_signal_ring(struct dr_thread_signal *signal);
int dr_thread_signal_wait(struct dr_thread_signal *signal);
// 0 if the time passed without a ring, else 1; also 1 if a signal interrupted the wait.
int dr_thread_signal_wait_for(struct dr_thread_signal *signal, uint64_t nanoseconds);
void dr_thread_signal_free(struct dr_thread_signal *signal);

#endif

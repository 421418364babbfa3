// SPDX-License-Identifier: Apache-2.0
// One thread sleeps, another wakes it, with no descriptor spent.

#ifndef DARKROOM_THREAD_SIGNAL_H
#define DARKROOM_THREAD_SIGNAL_H

#include <stdint.h>

struct dr_thread_signal;

struct dr_thread_signal *dr_thread_signal_make(void);
int dr_thread_signal_ring(struct dr_thread_signal *signal);
int dr_thread_signal_wait(struct dr_thread_signal *signal);
// 0 when it has not rung by then, else 1; also 1 when a signal ended the wait sooner.
int dr_thread_signal_wait_for(struct dr_thread_signal *signal, uint64_t nanoseconds);
void dr_thread_signal_free(struct dr_thread_signal *signal);

#endif

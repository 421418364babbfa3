// SPDX-License-Identifier: Apache-2.0
// One thread sleeps, another wakes it, with no descriptor spent and no time-out.

#ifndef DARKROOM_THREAD_SIGNAL_H
#define DARKROOM_THREAD_SIGNAL_H

struct dr_thread_signal;

struct dr_thread_signal *dr_thread_signal_make(void);
int dr_thread_signal_ring(struct dr_thread_signal *signal);
int dr_thread_signal_wait(struct dr_thread_signal *signal);
void dr_thread_signal_free(struct dr_thread_signal *signal);

#endif

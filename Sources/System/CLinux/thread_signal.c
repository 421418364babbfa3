// SPDX-License-Identifier: Apache-2.0
#include "thread_signal.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>

// On the heap: a semaphore must not move, and Swift may move what it holds by value.
struct dr_thread_signal {
  sem_t semaphore;
};

struct dr_thread_signal *dr_thread_signal_make(void) {
  struct dr_thread_signal *signal = malloc(sizeof *signal);
  if (!signal) abort();
  sem_init(&signal->semaphore, 0, 0);
  return signal;
}

int dr_thread_signal_ring(struct dr_thread_signal *signal) {
  return sem_post(&signal->semaphore) ? -errno : 0;
}

int dr_thread_signal_wait(struct dr_thread_signal *signal) {
  return sem_wait(&signal->semaphore) ? -errno : 0;
}

void dr_thread_signal_free(struct dr_thread_signal *signal) {
  sem_destroy(&signal->semaphore);
  free(signal);
}

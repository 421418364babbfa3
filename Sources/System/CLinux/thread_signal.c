// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "thread_signal.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

// On the heap: a semaphore must not move, and Swift may move a stored value.
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

int dr_thread_signal_wait_for(struct dr_thread_signal *signal, uint64_t nanoseconds) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  uint64_t sum = (uint64_t)end.tv_nsec + nanoseconds % 1000000000;
  end.tv_sec += (time_t)(nanoseconds / 1000000000 + sum / 1000000000);
  end.tv_nsec = (long)(sum % 1000000000);
  while (sem_clockwait(&signal->semaphore, CLOCK_MONOTONIC, &end)) {
    if (errno != EINTR) return 0;
  }
  return 1;
}

void dr_thread_signal_free(struct dr_thread_signal *signal) {
  sem_destroy(&signal->semaphore);
  free(signal);
}

// SPDX-License-Identifier: Apache-2.0
// slow.so, preloaded into darkroomd by disks.py: every call that makes something durable takes SLOW_MILLISECONDS
// longer while the file SLOW_FILE exists.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void wait_a_while(void) {
  const char *file = getenv("SLOW_FILE"), *milliseconds = getenv("SLOW_MILLISECONDS");
  if (file == NULL || milliseconds == NULL || access(file, F_OK) != 0) return;
  long time = atol(milliseconds);
  struct timespec pause = {time / 1000, time % 1000 * 1000000};
  nanosleep(&pause, NULL);
}

#define SLOW(name)                                            \
  int name(int file) {                                        \
    static int (*real)(int);                                  \
    if (real == NULL) real = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    wait_a_while();                                           \
    return real(file);                                        \
  }

SLOW(fsync)
SLOW(fdatasync)
SLOW(syncfs)

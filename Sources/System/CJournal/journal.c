// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CJournal.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <systemd/sd-journal.h>

#define CALLS(CALL)                                                                              \
  CALL(open) CALL(close) CALL(add_match) CALL(add_conjunction)                                   \
  CALL(add_disjunction) CALL(seek_head) CALL(seek_tail) CALL(next) CALL(previous) CALL(get_data) \
  CALL(get_realtime_usec) CALL(get_catalog) CALL(wait) CALL(set_data_threshold)

// Each call has the type that the header declares.
#define POINTER(name) __typeof__(&sd_journal_##name) name;
static struct {
  CALLS(POINTER)
} calls;
static int is_loaded;

static void load(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
#define LOOK_UP(name) \
  if (!(calls.name = (__typeof__(calls.name))dlsym(library, "sd_journal_" #name))) return;
  CALLS(LOOK_UP)
  is_loaded = 1;
}

int dr_journal_open(void **journal) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!is_loaded) return -ELIBACC;
  sd_journal *opened = NULL;
  int error = calls.open(&opened, SD_JOURNAL_LOCAL_ONLY);
  if (error < 0) return error;
  // Values are returned whole.
  calls.set_data_threshold(opened, 0);
  *journal = opened;
  return 0;
}

void dr_journal_close(void *journal) { calls.close(journal); }

int dr_journal_match(void *journal, const void *match, uint64_t count) {
  return calls.add_match(journal, match, count);
}

int dr_journal_and(void *journal) { return calls.add_conjunction(journal); }
int dr_journal_or(void *journal) { return calls.add_disjunction(journal); }
int dr_journal_head(void *journal) { return calls.seek_head(journal); }
int dr_journal_tail(void *journal) { return calls.seek_tail(journal); }
int dr_journal_next(void *journal) { return calls.next(journal); }
int dr_journal_previous(void *journal) { return calls.previous(journal); }

int dr_journal_field(void *journal, const char *name, const void **data, uint64_t *count) {
  size_t length = 0;
  int error = calls.get_data(journal, name, data, &length);
  *count = length;
  return error;
}

int dr_journal_time(void *journal, uint64_t *time) {
  return calls.get_realtime_usec(journal, time);
}

int dr_journal_catalog(void *journal, char **text) { return calls.get_catalog(journal, text); }
void dr_journal_free(char *text) { free(text); }
int dr_journal_wait(void *journal) { return calls.wait(journal, (uint64_t)-1); }

// SPDX-License-Identifier: Apache-2.0
#include "CPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <postgresql/libpq-fe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS(CALL)                                                                             \
  CALL(connectStartParams) CALL(connectPoll) CALL(finish) CALL(socket) CALL(errorMessage)       \
  CALL(status) CALL(setnonblocking) CALL(enterPipelineMode) CALL(sendPrepare)                   \
  CALL(sendQueryPrepared) CALL(pipelineSync) CALL(consumeInput) CALL(flush) CALL(isBusy)        \
  CALL(notifies) CALL(freemem) CALL(getResult) CALL(clear) CALL(resultStatus)                   \
  CALL(resultErrorField) CALL(ntuples) CALL(nfields) CALL(getvalue) CALL(getlength) CALL(getisnull)           \
  CALL(setNoticeReceiver) CALL(conninfoParse) CALL(conninfoFree)

// Each call has the type that the header declares.
#define POINTER(name) __typeof__(&PQ##name) name;
static struct {
  CALLS(POINTER)
} calls;
static int is_loaded;

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
#define LOOK_UP(name) \
  if (!(calls.name = (__typeof__(calls.name))dlsym(library, "PQ" #name))) return;
  CALLS(LOOK_UP)
  is_loaded = 1;
}

int dr_pg_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded ? 0 : -ELIBACC;
}

// libpq would print the server's notices.
static void ignore(void *nothing, const PGresult *notice) {
  (void)nothing;
  (void)notice;
}

int dr_pg_option(const char *text, const char *name, char *value, uint64_t size) {
  PQconninfoOption *all = calls.conninfoParse(text, NULL);
  int is_given = 0;
  for (PQconninfoOption *one = all; one && one->keyword; one++) {
    if (strcmp(one->keyword, name) || !one->val) continue;
    is_given = snprintf(value, size, "%s", one->val) < (int)size;
  }
  if (all) calls.conninfoFree(all);
  return is_given;
}

int dr_pg_problem(const char *text, char *words, uint64_t size) {
  char *message = NULL;
  PQconninfoOption *all = calls.conninfoParse(text, &message);
  if (all) {
    calls.conninfoFree(all);
    return 0;
  }
  // Without memory there are no words, and nothing is known about the text.
  if (!message) return 0;
  snprintf(words, size, "%s", message);
  calls.freemem(message);
  return 1;
}

void *dr_pg_start(const char *text, const char *const *names, const char *const *values) {
  const char *keys[32] = {"dbname"}, *all[32] = {text};
  int count = 1;
  for (; names[count - 1] && count < 31; count++) {
    keys[count] = names[count - 1];
    all[count] = values[count - 1];
  }
  // The first key is expanded as a connection string; later keys override it.
  PGconn *connection = calls.connectStartParams(keys, all, 1);
  if (!connection) return NULL;
  calls.setNoticeReceiver(connection, ignore, NULL);
  return connection;
}

int dr_pg_connect(void *connection) {
  switch (calls.connectPoll(connection)) {
    case PGRES_POLLING_OK: return calls.setnonblocking(connection, 1) == 0 ? 0 : 3;
    case PGRES_POLLING_READING: return 1;
    case PGRES_POLLING_WRITING: return 2;
    default: return 3;
  }
}

void dr_pg_finish(void *connection) { calls.finish(connection); }
int dr_pg_socket(void *connection) { return calls.socket(connection); }
const char *dr_pg_message(void *connection) { return calls.errorMessage(connection); }
int dr_pg_is_lost(void *connection) { return calls.status(connection) == CONNECTION_BAD; }
int dr_pg_pipeline(void *connection) { return calls.enterPipelineMode(connection); }

int dr_pg_prepare(void *connection, const char *name, const char *statement) {
  return calls.sendPrepare(connection, name, statement, 0, NULL);
}

int dr_pg_send(void *connection, const char *name, int count, const char *const *values,
               const int *lengths) {
  int formats[32];
  if (count > 32) return 0;
  for (int i = 0; i < count; i++) formats[i] = 1;
  return calls.sendQueryPrepared(connection, name, count, values, lengths, formats, 1);
}

int dr_pg_sync(void *connection) { return calls.pipelineSync(connection); }
int dr_pg_consume(void *connection) { return calls.consumeInput(connection); }
int dr_pg_flush(void *connection) { return calls.flush(connection); }
int dr_pg_is_busy(void *connection) { return calls.isBusy(connection); }

int dr_pg_notice(void *connection, char *channel, char *payload, uint64_t size) {
  PGnotify *notice = calls.notifies(connection);
  if (!notice) return 0;
  snprintf(channel, size, "%s", notice->relname);
  snprintf(payload, size, "%s", notice->extra);
  calls.freemem(notice);
  return 1;
}

void *dr_pg_result(void *connection) { return calls.getResult(connection); }
void dr_pg_free(void *result) { calls.clear(result); }

int dr_pg_kind(void *result) {
  switch (calls.resultStatus(result)) {
    case PGRES_TUPLES_OK: return DR_PG_ROWS;
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY: return DR_PG_DONE;
    case PGRES_PIPELINE_SYNC: return DR_PG_SYNC;
    case PGRES_PIPELINE_ABORTED: return DR_PG_SKIPPED;
    default: return DR_PG_FAILED;
  }
}

const char *dr_pg_state(void *result) {
  return calls.resultErrorField(result, PG_DIAG_SQLSTATE);
}

const char *dr_pg_error(void *result) {
  return calls.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

int dr_pg_rows(void *result) { return calls.ntuples(result); }
int dr_pg_columns(void *result) { return calls.nfields(result); }

const void *dr_pg_value(void *result, int row, int column, int *length) {
  if (calls.getisnull(result, row, column)) return NULL;
  *length = calls.getlength(result, row, column);
  return calls.getvalue(result, row, column);
}

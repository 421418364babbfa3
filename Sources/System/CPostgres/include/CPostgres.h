// SPDX-License-Identifier: Apache-2.0
// The part of libpq that the ledger needs, loaded at the first call, so that a machine without a ledger needs
// neither libpq nor the libraries below it. A connection is for one thread and never waits: the caller polls
// its socket. Texts are those of libpq, valid until the next call.

#ifndef DARKROOM_CPOSTGRES_H
#define DARKROOM_CPOSTGRES_H

#include <stdint.h>

// 0, or -ELIBACC if there is no libpq.
int dr_pg_load(void);

// Copies the value that a connection string or URI gives to an option. 0 without one, or if it does not fit.
int dr_pg_option(const char *text, const char *name, char *value, uint64_t size);
// Copies what libpq finds wrong with a connection string or URI, in its words; 0 if nothing is, or
// if there is no memory.
int dr_pg_problem(const char *text, char *words, uint64_t size);
// Begins to connect. `text` is a connection string or URI; `names` and `values`, ended by NULL, override it.
// NULL if there is no memory.
void *dr_pg_start(const char *text, const char *const *names, const char *const *values);
// 0 connected, 1 wait to read, 2 wait to write, 3 failed.
int dr_pg_connect(void *connection);
void dr_pg_finish(void *connection);
// -1 if there is none.
int dr_pg_socket(void *connection);
const char *dr_pg_message(void *connection);
// 1 if the connection is lost.
int dr_pg_is_lost(void *connection);

// Each is 1 if it succeeded.
int dr_pg_pipeline(void *connection);
int dr_pg_prepare(void *connection, const char *name, const char *statement);
// Parameters and results are binary. A NULL value is SQL's NULL.
int dr_pg_send(void *connection, const char *name, int count, const char *const *values,
               const int *lengths);
int dr_pg_sync(void *connection);
int dr_pg_consume(void *connection);
// 0 all is sent, 1 more is to be sent, -1 failed.
int dr_pg_flush(void *connection);
int dr_pg_is_busy(void *connection);
// The channel and the payload of the next notification, copied into the buffers; 0 if there is none.
int dr_pg_notice(void *connection, char *channel, char *payload, uint64_t size);

enum { DR_PG_ROWS = 0, DR_PG_DONE = 1, DR_PG_SYNC = 2, DR_PG_SKIPPED = 3, DR_PG_FAILED = 4 };
// The next result, to be freed; NULL at the end of a statement's results.
void *dr_pg_result(void *connection);
void dr_pg_free(void *result);
int dr_pg_kind(void *result);
// The SQLSTATE, and the primary message.
const char *dr_pg_state(void *result);
const char *dr_pg_error(void *result);
int dr_pg_rows(void *result);
int dr_pg_columns(void *result);
// NULL for SQL's NULL.
const void *dr_pg_value(void *result, int row, int column, int *length);

#endif

// SPDX-License-Identifier: Apache-2.0
// The surroundings of a command line tool: terminal, environment, user names, files named by people. Results
// as in CLinux.h.

#ifndef DARKROOM_TERMINAL_H
#define DARKROOM_TERMINAL_H

#include <stdint.h>

int dr_terminal_size(int file, int *columns, int *rows);

// Copies a variable's value, at most `count` bytes; returns its length, -ENOENT if it is not set.
int64_t dr_variable(const char *name, char *bytes, uint64_t count);

// Copies a user's name, likewise.
// 1 if there is a user of this name, 0 if not, and -errno if the question has no answer.
int dr_is_user(const char *name);

int64_t dr_user_name(uint32_t user, char *bytes, uint64_t count);

// Copies a time in seconds since 1970 as `2025-11-21 09:05:45`, in the time zone of the user.
int64_t dr_local_time(int64_t seconds, char *bytes, uint64_t count);

// Opens a file that a person named: follows links, does not block on a FIFO.
int dr_open_named(const char *path);

// A nameless file in memory, which disappears when it is closed.
int dr_scratch_file(void);

// Starts a program, looked up in PATH, or /bin/sh -c with a command; its standard input is this process's
// standard output from now on. It has LESS=FRSXMK if LESS is not set, and LESSSECURE=1. From then on SIGINT is
// the pager's alone. Returns its process number.
int dr_pager_start(const char *command, int by_shell);

// Ends this process's standard output, and waits for the pager's end.
void dr_pager_end(int process);

#endif

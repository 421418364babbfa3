// SPDX-License-Identifier: Apache-2.0
// What a command line tool asks of its surroundings: terminal, environment, files named by people.

#ifndef DARKROOM_TERMINAL_H
#define DARKROOM_TERMINAL_H

#include <stdint.h>

int dr_terminal_columns(int file);

// Copies a variable's value, at most `count` bytes; answers its length, -ENOENT where it is not set.
int64_t dr_variable(const char *name, char *bytes, uint64_t count);

// Copies a user's name, likewise.
int64_t dr_user_name(uint32_t user, char *bytes, uint64_t count);

// A file that a person named: links are followed, a FIFO does not block.
int dr_open_named(const char *path);

// A file without a name, gone when it is closed.
int dr_scratch_file(void);

#endif

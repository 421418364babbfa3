// SPDX-License-Identifier: Apache-2.0
// The attempts of a worker under hostile control, and other ways for it to misbehave. An attempt
// returns the error number of its refusal, or 0 if the kernel let it through.

#ifndef DARKROOM_CATTEMPTS_H
#define DARKROOM_CATTEMPTS_H

#include <stddef.h>
#include <stdint.h>

const char *dr_attempt_name(int number);  // NULL after the last
int dr_attempt(int number);
int dr_survive_execution(int file);
int dr_hang_up(int socket);
int dr_is_open(int file);
uintptr_t dr_map(int file, size_t size);  // shared and writable; 0 if it is refused
void dr_scribble(uintptr_t at, size_t size);
void dr_say(const char *text);  // to standard error; gives up when a write fails
void dr_crash(void);
void dr_abort(void);
void dr_foreign_call(void);  // through the x32 table of x86-64; aborts on other machines

#endif

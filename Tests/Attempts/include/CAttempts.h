// SPDX-License-Identifier: Apache-2.0
// What a worker that was taken over would try. Each attempt answers the error number it ran into, or 0
// when it was let through.

#ifndef DARKROOM_CATTEMPTS_H
#define DARKROOM_CATTEMPTS_H

const char *dr_attempt_name(int number);  // NULL after the last
int dr_attempt(int number);
int dr_survive_execution(int file);
int dr_hang_up(int socket);
int dr_is_open(int file);
void dr_say(const char *text);  // to standard error; gives up when nobody reads on
void dr_crash(void);
void dr_abort(void);
void dr_foreign_call(void);  // by the x86 machine's other table of calls, where there is one

#endif

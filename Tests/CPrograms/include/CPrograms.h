// SPDX-License-Identifier: Apache-2.0
// Starts other programs for tests: the calls that Swift cannot make itself.

#ifndef DARKROOM_CPROGRAMS_H
#define DARKROOM_CPROGRAMS_H

/// Starts a program, looked up in PATH, in a new process group, with these descriptors as 0, 1 and 2, no
/// other one open, all signals at their defaults and none blocked. A stream is -1 for /dev/null, its own
/// place, or more than 2. `words` and `variables` end with NULL. Returns the process number, or a negative
/// errno.
int program_start(char *const words[], char *const variables[], const int streams[3]);
/// Waits for the end of a child without reaping it, so its number is not reused.
void program_await(int process);
/// Waits for the end of a child and reaps it: its number may be reused afterwards. Returns its exit code, 128
/// plus the signal that ended it, or a negative errno if it is not our child.
int program_end(int process);
/// Opens a pseudo-terminal of this size: our end, and the one for a program, both close-on-exec. Returns 0 or a
/// negative errno.
int terminal_pair(int columns, int rows, int ends[2]);

#endif

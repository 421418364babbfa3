// SPDX-License-Identifier: Apache-2.0
// Other programs, started by tests: what Swift cannot call itself.

#ifndef DARKROOM_CPROGRAMS_H
#define DARKROOM_CPROGRAMS_H

/// Starts the program, looked up in PATH, with these descriptors as 0, 1 and 2 and no other open, a process
/// group of its own, all signals at their defaults and none blocked. A stream is -1 for /dev/null, its own
/// place, or more than 2. `words` and `variables` end with NULL. Answers its number, or a negative errno.
int program_start(char *const words[], char *const variables[], const int streams[3]);
/// Waits for its end, and leaves its number to it.
void program_await(int process);
/// Waits for its end, after which its number may be another's: its exit code, or 128 and the signal that ended it; a negative errno where it is no
/// child of ours.
int program_end(int process);

#endif

// SPDX-License-Identifier: Apache-2.0
// Other programs, started by tests: what Swift cannot call itself.

#ifndef DARKROOM_CPROGRAMS_H
#define DARKROOM_CPROGRAMS_H

/// Starts the program, looked up in PATH, with these descriptors as 0, 1 and 2 (-1: /dev/null) and no other
/// open, a process group of its own and all signals as the kernel makes them. `words` and `variables` end
/// with NULL. Answers its number, or a negative errno.
int program_start(char *const words[], char *const variables[], const int streams[3]);
/// Waits for its end: its exit code, or 128 and the signal that ended it; a negative errno where it is no
/// child of ours.
int program_end(int process);

#endif

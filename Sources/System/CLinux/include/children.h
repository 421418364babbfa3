// SPDX-License-Identifier: Apache-2.0
// Child processes, and the packet sockets to them. Results as in CLinux.h.

#ifndef DARKROOM_CHILDREN_H
#define DARKROOM_CHILDREN_H

#include <stdint.h>

struct dr_child {
  int process, handle;  // the handle is a pidfd: readable once the process has ended
};

/// Starts the program at `path`. `words` are its arguments, each ended by NUL, the last one empty. The
/// child has `socket` as descriptor 3, `log` as 2, /dev/null as 0 and 1, and no other; default signal
/// actions, no blocked signals, its own process group, and an environment of one variable.
int dr_child_start(const char *path, const char *words, int socket, int log, struct dr_child *out);
/// Starts an administrator's program: no arguments, only the variables (each ended by NUL, the last one empty),
/// `log` as descriptors 1 and 2, /dev/null as 0, and no other; default signal actions, no blocked signals, its own
/// session, and / as its folder.
int dr_program_start(const char *path, const char *variables, int log, struct dr_child *out);
/// Starts a program that lives on without us: `words` as above, `output` as descriptor 1, /dev/null as 0 and 2, and
/// no other; default signal actions, no blocked signals, its own session, our environment, and / as its folder.
int dr_server_start(const char *path, const char *words, int output, struct dr_child *out);
int dr_child_kill(int handle);
/// Kills all processes of a group. Call it before the first one is reaped: until then the number is its own.
int dr_group_kill(int process);
/// 0 to 255: its exit code. 256 and more: 256 + the signal that ended it. -EAGAIN: it still runs.
int dr_child_reap(int handle);

int dr_packet_pair(int sockets[2]);
int dr_pipe(int ends[2]);
/// Fills `path` with the NUL-ended path of this process's program.
int dr_own_path(char *path, uint64_t count);
_Noreturn void dr_end(int code);

enum { DR_MAXIMUM_PASSED = 3 };

/// Sends one packet with `passed` descriptors; never waits, never raises SIGPIPE.
int64_t dr_packet_send(int socket, const void *bytes, uint64_t count, const int *files, int passed);
/// Takes one packet: its size, 0 at the end, -EMSGSIZE if it was larger than `count`. `files` gets the
/// passed descriptors, and -1 for each missing one; if `files` is NULL, the kernel drops descriptors.
int64_t dr_packet_take(int socket, void *bytes, uint64_t count, int *files, int waits);

/// The processor time of a child that is not yet reaped; -1 if the kernel does not tell.
int64_t dr_child_nanoseconds(int process);

/// Time since boot, without sleep: time limits of work do not run while the machine sleeps.
uint64_t dr_awake_nanoseconds(void);

#endif

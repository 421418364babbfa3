// SPDX-License-Identifier: Apache-2.0
// What a process takes from itself before it looks at bytes from outside. Answers as in CLinux.h; every
// layer is entered by a call of its own, so that the one who calls can say which hold.

#ifndef DARKROOM_SANDBOX_H
#define DARKROOM_SANDBOX_H

#include <stdint.h>

struct dr_limits {
  uint64_t memory;  // address space beyond what is mapped now
  uint64_t output;  // the size of a written file
  uint64_t files;   // descriptors
};

/// Nice level, and the share of the disk that goes with it; nothing can be taken back later.
int dr_yield_to_others(int nice);
int dr_drop_privileges(void);  // no capability, no new one by exec, no core, no tracer
int dr_set_limits(const struct dr_limits *limits);
int dr_enter_landlock(void);  // an empty ruleset: opens nothing, connects nowhere, signals nobody
int dr_enter_seccomp(void);   // the calls that are left; all others answer EPERM
/// From now on at most so many seconds of processor time; allowed within the sandbox.
int dr_set_processor_limit(uint64_t seconds);

#endif

// SPDX-License-Identifier: Apache-2.0
// The rights that a process gives up before it reads bytes from outside. Results as in CLinux.h; each layer
// has its own call, so that the caller can report the layers that hold.

#ifndef DARKROOM_SANDBOX_H
#define DARKROOM_SANDBOX_H

#include <stdint.h>

struct dr_limits {
  uint64_t memory;  // address space beyond what is mapped now
  uint64_t output;  // the size of a written file
  uint64_t files;   // descriptors
};

/// Sets the nice level and the matching disk priority; irrevocable for an unprivileged process.
int dr_yield_to_others(int nice);
/// If memory runs out, the kernel kills this process before others of its size.
int dr_die_first(void);
int dr_drop_privileges(void);  // no capability, no new one by exec, no core, no tracer
int dr_set_limits(const struct dr_limits *limits);
int dr_enter_landlock(void);  // an empty ruleset of everything that this kernel's Landlock can forbid
int dr_enter_seccomp(void);   // allows the calls that are needed; all others return EPERM
/// Limits the further processor time to about this many seconds; allowed inside the sandbox.
int dr_set_processor_limit(uint64_t seconds);

#endif

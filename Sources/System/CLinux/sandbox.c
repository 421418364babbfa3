// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int answer(long result) { return result < 0 ? -errno : (int)result; }

int dr_yield_to_others(int nice) {
  enum { WHO_PROCESS = 1, BEST_EFFORT = 2, IDLE = 3, CLASS_SHIFT = 13 };
  int priority = nice >= 19 ? IDLE << CLASS_SHIFT
                            : BEST_EFFORT << CLASS_SHIFT | (4 + (nice > 0 ? nice / 5 : 0));
  int disk = answer(syscall(SYS_ioprio_set, WHO_PROCESS, 0, priority));
  int processor = answer(setpriority(PRIO_PROCESS, 0, nice));
  return processor < 0 ? processor : disk;
}

int dr_die_first(void) {
  static const char score[] = "500";
  char now[16] = "";
  int file = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  if (file < 0) return -errno;
  int result = answer(pread(file, now, sizeof now - 1, 0));
  // An inherited score may be higher.
  if (result > 0 && atoi(now) < 500) result = answer(write(file, score, sizeof score - 1));
  close(file);
  return result;
}

static int drop_capabilities(void) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {{0}}, held[2];
  if (syscall(SYS_capset, &head, none) == 0) return 0;
  // A service may be forbidden the call; then it suffices to hold no capability.
  int error = errno;
  if (syscall(SYS_capget, &head, held) < 0) return -error;
  return held[0].permitted | held[1].permitted ? -error : 0;
}

int dr_drop_privileges(void) {
  // A write to a dead daemon, or beyond the output limit, is then an error instead of the process's end.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if (chdir("/") < 0) return -errno;
  int error = drop_capabilities();
  if (error < 0) return error;
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return -errno;
  return answer(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

static uint64_t mapped_bytes(void) {
  enum { UNKNOWN = 512 << 20 };
  char text[32] = {0};
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return UNKNOWN;
  ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  unsigned long long pages = 0;
  if (n <= 0 || sscanf(text, "%llu", &pages) != 1) return UNKNOWN;
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int set(int resource, uint64_t value) {
  struct rlimit now, limit;
  if (getrlimit(resource, &now) < 0) return -errno;
  limit.rlim_cur = limit.rlim_max = now.rlim_max < value ? now.rlim_max : value;
  return answer(setrlimit(resource, &limit));
}

int dr_set_limits(const struct dr_limits *limits) {
  // Limits the address space, not the data segment: it includes shared mappings.
  uint64_t space = mapped_bytes();
  space = limits->memory > UINT64_MAX - space ? UINT64_MAX : space + limits->memory;
  const struct { int resource; uint64_t value; } all[] = {
      {RLIMIT_AS, space},  {RLIMIT_FSIZE, limits->output}, {RLIMIT_NOFILE, limits->files},
      {RLIMIT_CORE, 0},    {RLIMIT_NPROC, 0},              {RLIMIT_MEMLOCK, 0},
      {RLIMIT_MSGQUEUE, 0}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int error = set(all[i].resource, all[i].value);
    if (error < 0) return error;
  }
  return 0;
}

int dr_set_processor_limit(uint64_t seconds) {
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  struct rlimit limit;
  if (getrlimit(RLIMIT_CPU, &limit) < 0) return -errno;
  limit.rlim_cur = (rlim_t)used.tv_sec + 1 + seconds;
  // At the hard limit the kernel sends SIGKILL, which tells nothing.
  if (limit.rlim_cur >= limit.rlim_max && limit.rlim_max > 0) limit.rlim_cur = limit.rlim_max - 1;
  return answer(setrlimit(RLIMIT_CPU, &limit));
}

// The kernel's structure as of ABI 6; older headers define less of it, and older kernels are passed less
// of it.
struct ruleset { uint64_t files, network, scope; };

int dr_enter_landlock(void) {
  enum { ASK_VERSION = 1, FIRST_NETWORK = 4, FIRST_SCOPE = 6 };
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
  if (version < 0) return -errno;
  struct ruleset rules = {.files = version >= 5   ? 0xFFFF
                                   : version >= 3 ? 0x7FFF
                                   : version == 2 ? 0x3FFF
                                                  : 0x1FFF,
                          .network = 3,
                          .scope = 3};
  size_t size = version >= FIRST_SCOPE     ? sizeof rules
                : version >= FIRST_NETWORK ? offsetof(struct ruleset, scope)
                                           : offsetof(struct ruleset, network);
  long ruleset = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (ruleset < 0) return -errno;
  int result = answer(syscall(SYS_landlock_restrict_self, ruleset, 0));
  close((int)ruleset);
  return result;
}

#if defined(__x86_64__)
#define OUR_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE AUDIT_ARCH_AARCH64
#else
#error "the worker's list of system calls is written for x86-64 and aarch64"
#endif

#define AT(field) offsetof(struct seccomp_data, field)
#define LOW(n) (AT(args) + 8 * (n))  // both machines are little-endian
#define LOAD(where) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (where))
#define END(how) BPF_STMT(BPF_RET | BPF_K, (how))
#define REFUSE END(SECCOMP_RET_ERRNO | EPERM)
#define PERMIT END(SECCOMP_RET_ALLOW)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define ALLOW(call) UNLESS(__NR_##call, 1), PERMIT
// Refuses PROT_EXEC, in the third argument of mmap and mprotect: memory must not become code.
#define ALLOW_DATA(call) \
  UNLESS(__NR_##call, 4), LOAD(LOW(2)), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), \
      PERMIT, REFUSE

// fstat, not newfstatat: the latter takes a path, which a filter cannot inspect, and Landlock does not
// prevent a check whether a file exists. EPERM, not a kill: libraries try a call and manage without it
// (locale, /proc/cpuinfo), and an attacker gains nothing by further attempts.
int dr_enter_seccomp(void) {
  const uint32_t self = (uint32_t)getpid();
  struct sock_filter program[] = {
      LOAD(AT(arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_MACHINE, 1, 0),
      END(SECCOMP_RET_KILL_PROCESS),
      LOAD(AT(nr)),
#if defined(__x86_64__)
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),  // the x32 numbers of all calls
      END(SECCOMP_RET_KILL_PROCESS),
      ALLOW(poll),
#endif
      ALLOW(pread64), ALLOW(pwrite64), ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev),
      ALLOW(lseek), ALLOW(fstat), ALLOW(ftruncate), ALLOW(close),
      ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(ppoll),
      ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(futex),
      ALLOW(clock_gettime), ALLOW(getrandom), ALLOW(sched_yield), ALLOW(getpid), ALLOW(gettid),
      ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask), ALLOW(restart_syscall),
      ALLOW(exit), ALLOW(exit_group),
      // abort() signals its own process; the signal's number tells the daemon the cause.
      UNLESS(__NR_tgkill, 4), LOAD(LOW(0)), UNLESS(self, 1), PERMIT, REFUSE,
      // The limit of its own processor time, renewed for each request.
      UNLESS(__NR_prlimit64, 6), LOAD(LOW(0)), UNLESS(0, 3), LOAD(LOW(1)), UNLESS(RLIMIT_CPU, 1),
      PERMIT, REFUSE,
      ALLOW_DATA(mmap), ALLOW_DATA(mprotect),
      REFUSE,
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return answer(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter));
}

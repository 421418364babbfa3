// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CAttempts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// The C library adds checks to some calls; these go straight to the kernel.
#define CALL(name, ...) syscall(SYS_##name, __VA_ARGS__)

// Read before the sandbox is entered, which does not allow getppid.
static pid_t daemon_process;
__attribute__((constructor)) static void remember(void) { daemon_process = getppid(); }
static long parent(void) { return daemon_process; }

static long try_connect(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};
  return CALL(connect, 3, &name, sizeof name);
}

static long try_bind(void) {
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/tmp/darkroom-attempt"};
  return CALL(bind, 3, &name, sizeof name);
}

static long try_execute(void) {
  char *const words[] = {"/bin/true", NULL};
  return CALL(execve, "/bin/true", words, words + 1);
}

static long try_code(void) {
  void *page = (void *)CALL(mmap, NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : 0;
}

static long try_data_to_code(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? 0 : CALL(mprotect, page, 4096, PROT_READ | PROT_EXEC);
}

static long try_fork(void) {
#ifdef SYS_fork
  long child = CALL(fork, 0);
#else
  long child = CALL(clone, SIGCHLD, 0, 0, 0, 0);
#endif
  if (child == 0) CALL(exit_group, 0);
  return child;
}

static long try_peek(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {(void *)try_peek, 1};
  return CALL(process_vm_readv, parent(), &here, 1, &there, 1, 0);
}

static long try_more_memory(void) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  return CALL(prlimit64, 0, RLIMIT_AS, &limit, NULL);
}

static long try_others_limit(void) {
  struct rlimit limit;
  return CALL(prlimit64, parent(), RLIMIT_CPU, NULL, &limit);
}

struct attempt { const char *name; long (*run)(void); };
#define ATTEMPT(name, call) static long name(void) { return call; }
static struct stat scratch;
ATTEMPT(open_file, CALL(openat, AT_FDCWD, "/etc/passwd", O_RDONLY))
ATTEMPT(open_folder, CALL(openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY))
ATTEMPT(make_file, CALL(openat, AT_FDCWD, "/tmp/darkroom-attempt", O_WRONLY | O_CREAT, 0600))
ATTEMPT(open_fast, CALL(openat2, AT_FDCWD, "/etc/passwd", &scratch, 24))
ATTEMPT(ask_status, CALL(newfstatat, AT_FDCWD, "/etc/passwd", &scratch, 0))
ATTEMPT(ask_access, CALL(faccessat, AT_FDCWD, "/etc/passwd", R_OK))
ATTEMPT(read_link, CALL(readlinkat, AT_FDCWD, "/proc/self/exe", &scratch, 64))
ATTEMPT(remove_file, CALL(unlinkat, AT_FDCWD, "/tmp/darkroom-attempt", 0))
ATTEMPT(change_mode, CALL(fchmod, 2, 0777))
ATTEMPT(internet_socket, CALL(socket, AF_INET, SOCK_STREAM, 0))
ATTEMPT(local_socket, CALL(socket, AF_UNIX, SOCK_STREAM, 0))
ATTEMPT(socket_pair, CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, &scratch))
ATTEMPT(make_thread, CALL(clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0))
ATTEMPT(clone_three, CALL(clone3, &scratch, 64))
ATTEMPT(trace_parent, CALL(ptrace, PTRACE_ATTACH, parent(), 0, 0))
ATTEMPT(trace_me, CALL(ptrace, PTRACE_TRACEME, 0, 0, 0))
ATTEMPT(signal_parent, CALL(kill, parent(), 0))
ATTEMPT(signal_thread, CALL(tgkill, parent(), parent(), 0))
ATTEMPT(signal_all, CALL(kill, -1, 0))
ATTEMPT(hold_parent, CALL(pidfd_open, parent(), 0))
ATTEMPT(memory_file, CALL(memfd_create, "x", 0))
ATTEMPT(watch_files, CALL(inotify_init1, 0))
ATTEMPT(ring, CALL(io_uring_setup, 8, &scratch))
ATTEMPT(kernel_program, CALL(bpf, 0, &scratch, 32))
ATTEMPT(measure, CALL(perf_event_open, &scratch, 0, -1, -1, 0))
ATTEMPT(faults, CALL(userfaultfd, 0))
ATTEMPT(own_names, CALL(unshare, CLONE_NEWUSER))
ATTEMPT(mount_folder, CALL(mount, "none", "/mnt", "tmpfs", 0, NULL))
ATTEMPT(change_user, CALL(setuid, 0))
ATTEMPT(regain, CALL(prctl, PR_SET_DUMPABLE, 1, 0, 0, 0))
ATTEMPT(be_quicker, CALL(setpriority, PRIO_PROCESS, 0, -20))
ATTEMPT(set_descriptor, CALL(fcntl, 3, F_SETFD, 0))
ATTEMPT(double_descriptor, CALL(dup, 3))
ATTEMPT(key, CALL(keyctl, 0, -3, 0, 0, 0))
ATTEMPT(old_memory, CALL(personality, 0x0400000))
ATTEMPT(quit_filter, CALL(seccomp, 0, 0, NULL))

static const struct attempt attempts[] = {
    {"open a file", open_file}, {"open a folder", open_folder}, {"make a file", make_file},
    {"open a file by openat2", open_fast}, {"ask for a file's status", ask_status},
    {"ask for access", ask_access}, {"read a link", read_link}, {"remove a file", remove_file},
    {"change a file's mode", change_mode}, {"make an internet socket", internet_socket},
    {"make a local socket", local_socket}, {"make a pair of sockets", socket_pair},
    {"connect its socket elsewhere", try_connect}, {"bind its socket", try_bind},
    {"fork", try_fork}, {"make a thread", make_thread}, {"clone by clone3", clone_three},
    {"execute a program", try_execute}, {"trace the daemon", trace_parent},
    {"be traced", trace_me}, {"signal the daemon", signal_parent},
    {"signal a thread of the daemon", signal_thread}, {"signal everybody", signal_all},
    {"hold the daemon by a pidfd", hold_parent}, {"read the daemon's memory", try_peek},
    {"make a memory file", memory_file}, {"watch files", watch_files},
    {"set up a ring", ring}, {"load a kernel program", kernel_program},
    {"measure others", measure}, {"handle page faults", faults},
    {"enter a user namespace", own_names}, {"mount", mount_folder},
    {"change its user", change_user}, {"become dumpable", regain},
    {"get a better nice level", be_quicker}, {"change a descriptor", set_descriptor},
    {"double a descriptor", double_descriptor}, {"get a key", key},
    {"change its personality", old_memory}, {"leave the filter", quit_filter},
    {"map code", try_code}, {"turn data to code", try_data_to_code},
    {"raise its memory limit", try_more_memory}, {"see the daemon's limits", try_others_limit},
};

const char *dr_attempt_name(int number) {
  return number >= 0 && (size_t)number < sizeof attempts / sizeof *attempts ? attempts[number].name
                                                                            : NULL;
}

int dr_attempt(int number) {
  errno = 0;
  return attempts[number].run() < 0 ? errno : 0;
}

int dr_hang_up(int socket) { return shutdown(socket, SHUT_RDWR); }

int dr_is_open(int file) { return CALL(fstat, file, &scratch) == 0; }

uintptr_t dr_map(int file, size_t size) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? 0 : (uintptr_t)at;
}

void dr_scribble(uintptr_t at, size_t size) { memset((void *)at, '!', size); }

void dr_say(const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    ssize_t n = write(2, text, left);
    if (n <= 0) return;
    text += n;
    left -= (size_t)n;
  }
}

int dr_survive_execution(int file) { return fcntl(file, F_SETFD, 0); }

void dr_crash(void) { *(volatile int *)16 = 1; }
void dr_abort(void) { abort(); }

void dr_foreign_call(void) {
#if defined(__x86_64__)
  syscall(0x40000000 | SYS_getpid);
#else
  abort();
#endif
}

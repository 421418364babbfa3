// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_WORDS = 31, FIRST_SPARE = 10, WAIT_BY_HANDLE = 3 /* P_PIDFD */ };

static int answer(int result) { return result < 0 ? -errno : result; }

// A worker has a socket; a program of an administrator has -1, and writes its output to the log, too. A server has
// -1, and only its output is kept.
struct plan {
  const char *path;
  char *const *words, *const *environment;
  int socket, log, is_server;
};

static int actions_of(posix_spawn_file_actions_t *actions, const struct plan *plan) {
  int is_worker = plan->socket >= 0;
  int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDWR, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, is_worker ? 0 : plan->log, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, plan->is_server ? 0 : plan->log, 2);
  if (!error && is_worker) error = posix_spawn_file_actions_adddup2(actions, plan->socket, 3);
  // Our descriptors are all close-on-exec; this closes those of libraries.
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, is_worker ? 4 : 3);
  // The program keeps no mount busy on which the daemon was started.
  if (!error && !is_worker) error = posix_spawn_file_actions_addchdir_np(actions, "/");
  return error;
}

static int attributes_of(posix_spawnattr_t *attributes, const struct plan *plan) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  // Its own process group: a terminal's Ctrl-C goes to the daemon alone, which ends its children. A program gets
  // a session, so that it has no terminal either.
  short group = plan->socket >= 0 ? POSIX_SPAWN_SETPGROUP : POSIX_SPAWN_SETSID;
  int error = posix_spawnattr_setflags(
      attributes, (short)(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group));
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
  return error;
}

static int spawn(const struct plan *plan, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = actions_of(&actions, plan);
    if (!error) error = attributes_of(&attributes, plan);
    if (!error)
      error = posix_spawn(
          process, plan->path, &actions, &attributes, plan->words, plan->environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int start(struct plan plan, struct dr_child *out) {
  // Duplicates above the child's descriptor numbers, so that dup2 in the child overwrites neither.
  int high_socket = plan.socket < 0 ? -1 : fcntl(plan.socket, F_DUPFD_CLOEXEC, FIRST_SPARE);
  if (plan.socket >= 0 && high_socket < 0) return -errno;
  int high_log = fcntl(plan.log, F_DUPFD_CLOEXEC, FIRST_SPARE);
  int error = high_log < 0 ? errno : 0;
  pid_t process = 0;
  plan.socket = high_socket;
  plan.log = high_log;
  if (!error) error = spawn(&plan, &process);
  if (high_log >= 0) close(high_log);
  if (high_socket >= 0) close(high_socket);
  if (error) return -error;
  // No other code reaps our children, so the number still belongs to this child.
  int handle = (int)syscall(SYS_pidfd_open, process, 0);
  if (handle < 0) {
    error = errno;
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    return -error;
  }
  *out = (struct dr_child){.process = process, .handle = handle};
  return 0;
}

static int list_of(const char *words, char **list) {
  int count = 0;
  for (const char *word = words; *word; word += strlen(word) + 1) {
    if (count == MAXIMUM_WORDS) return -E2BIG;
    list[count++] = (char *)word;
  }
  list[count] = NULL;
  return 0;
}

int dr_child_start(const char *path, const char *words, int socket, int log, struct dr_child *out) {
  // The Swift runtime must not try to open files and start programs inside the sandbox.
  static char *const environment[] = {"SWIFT_BACKTRACE=enable=no", NULL};
  char *list[MAXIMUM_WORDS + 1];
  int error = list_of(words, list);
  if (error) return error;
  return start((struct plan){path, list, environment, socket, log, 0}, out);
}

int dr_program_start(const char *path, const char *variables, int log, struct dr_child *out) {
  char *const words[] = {(char *)path, NULL};
  char *list[MAXIMUM_WORDS + 1];
  int error = list_of(variables, list);
  if (error) return error;
  return start((struct plan){path, words, list, -1, log, 0}, out);
}

int dr_server_start(const char *path, const char *words, int output, struct dr_child *out) {
  char *list[MAXIMUM_WORDS + 1];
  int error = list_of(words, list);
  if (error) return error;
  return start((struct plan){path, list, environ, -1, output, 1}, out);
}

int dr_group_kill(int process) { return answer(kill(-process, SIGKILL)); }

int dr_child_kill(int handle) {
  return answer((int)syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0));
}

int dr_child_reap(int handle) {
  siginfo_t info = {0};
  if (waitid((idtype_t)WAIT_BY_HANDLE, (id_t)handle, &info, WEXITED | WNOHANG) < 0) return -errno;
  if (info.si_pid == 0) return -EAGAIN;
  return info.si_code == CLD_EXITED ? info.si_status & 255 : 256 + info.si_status;
}

int dr_packet_pair(int sockets[2]) {
  return answer(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets));
}

int dr_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  return answer(fcntl(ends[0], F_SETFL, O_NONBLOCK));  // the reader's end alone
}

int dr_own_path(char *path, uint64_t count) {
  ssize_t n = readlink("/proc/self/exe", path, count - 1);
  if (n < 0) return -errno;
  path[n] = 0;
  return (int)n;
}

void dr_end(int code) { exit(code); }

union passed {
  struct cmsghdr head;  // for its alignment
  char room[CMSG_SPACE(sizeof(int) * DR_MAXIMUM_PASSED)];
};

int64_t dr_packet_send(int socket, const void *bytes, uint64_t count, const int *files, int passed) {
  if (passed > DR_MAXIMUM_PASSED) return -EINVAL;
  struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  union passed control = {0};
  if (passed > 0) {
    message.msg_control = control.room;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)passed);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)passed);
    memcpy(CMSG_DATA(head), files, sizeof(int) * (size_t)passed);
  }
  ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  return n < 0 ? -errno : n;
}

int64_t dr_packet_take(int socket, void *bytes, uint64_t count, int *files, int waits) {
  struct iovec piece = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
  union passed control = {0};
  if (files) {
    for (int i = 0; i < DR_MAXIMUM_PASSED; i++) files[i] = -1;
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
  }
  ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
  if (n < 0) return -errno;
  for (struct cmsghdr *head = files ? CMSG_FIRSTHDR(&message) : NULL; head;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    size_t taken = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);  // at most what the room holds
    memcpy(files, CMSG_DATA(head), sizeof(int) * taken);
  }
  return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : n;
}

int64_t dr_child_nanoseconds(int process) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) < 0) return -1;
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

uint64_t dr_awake_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

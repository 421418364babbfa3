// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int answer(int result) { return result < 0 ? -errno : result; }

int dr_terminal_size(int file, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(file, TIOCGWINSZ, &size) < 0) return -errno;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

static int64_t copy(const char *from, char *bytes, uint64_t count) {
  size_t length = strlen(from);
  memcpy(bytes, from, length < count ? length : count);
  return (int64_t)length;
}

int64_t dr_variable(const char *name, char *bytes, uint64_t count) {
  const char *value = getenv(name);
  return value ? copy(value, bytes, count) : -ENOENT;
}

int64_t dr_user_name(uint32_t user, char *bytes, uint64_t count) {
  struct passwd entry, *found = NULL;
  char room[4096];
  int error = getpwuid_r(user, &entry, room, sizeof room, &found);
  if (error) return -error;
  return found ? copy(found->pw_name, bytes, count) : -ENOENT;
}

int dr_is_user(const char *name) {
  struct passwd entry, *found = NULL;
  char room[4096];
  int error = getpwnam_r(name, &entry, room, sizeof room, &found);
  return error ? -error : found != NULL;
}

int64_t dr_local_time(int64_t seconds, char *bytes, uint64_t count) {
  time_t time = seconds;
  struct tm parts;
  if (!localtime_r(&time, &parts)) return -EOVERFLOW;
  return (int64_t)strftime(bytes, count, "%Y-%m-%d %H:%M:%S", &parts);
}

int dr_open_named(const char *path) {
  return answer(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

int dr_scratch_file(void) { return answer(memfd_create("darkroom-scratch", MFD_CLOEXEC)); }

// The pager stays in our process group, the foreground one: it reads the terminal.
static int spawn_pager(const char *command, int by_shell, int input, pid_t *process) {
  char *alone[] = {(char *)command, NULL};
  char *shell[] = {"/bin/sh", "-c", (char *)command, NULL};
  char *const *words = by_shell ? shell : alone;
  sigset_t all;
  sigfillset(&all);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) error = posix_spawnp(process, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int dr_pager_start(const char *command, int by_shell) {
  // Without LESSSECURE, a user of sudo could start a shell from the pager.
  if (setenv("LESS", "FRSXMK", 0) < 0 || setenv("LESSSECURE", "1", 1) < 0) return -errno;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  pid_t process = 0;
  int error = spawn_pager(command, by_shell, ends[0], &process);
  if (!error && dup2(ends[1], 1) < 0) error = errno;
  close(ends[0]);
  close(ends[1]);
  if (error) return -error;
  signal(SIGINT, SIG_IGN);
  return process;
}

void dr_pager_end(int process) {
  close(1);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
  }
}

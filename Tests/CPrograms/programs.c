// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CPrograms.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int actions_of(posix_spawn_file_actions_t *actions, const int streams[3]) {
  int error = 0;
  for (int place = 0; place < 3 && !error; place++) {
    error = streams[place] < 0
                ? posix_spawn_file_actions_addopen(actions, place, "/dev/null", O_RDWR, 0)
                : posix_spawn_file_actions_adddup2(actions, streams[place], place);
  }
  return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int attributes_of(posix_spawnattr_t *attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
  return error ? error : posix_spawnattr_setpgroup(attributes, 0);
}

int program_start(char *const words[], char *const variables[], const int streams[3]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t process = 0;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return -error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = actions_of(&actions, streams);
    if (!error) error = attributes_of(&attributes);
    if (!error) error = posix_spawnp(&process, words[0], &actions, &attributes, words, variables);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return error ? -error : process;
}

void program_await(int process) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
}

int program_end(int process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -errno;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int terminal_pair(int columns, int rows, int ends[2]) {
  char name[64];
  struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
  ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends[0] < 0) return -errno;
  int error = grantpt(ends[0]) < 0 || unlockpt(ends[0]) < 0 ? errno : 0;
  if (!error) error = ptsname_r(ends[0], name, sizeof name);
  ends[1] = error ? -1 : open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (!error && (ends[1] < 0 || ioctl(ends[1], TIOCSWINSZ, &size) < 0)) error = errno;
  if (!error) return 0;
  if (ends[1] >= 0) close(ends[1]);
  close(ends[0]);
  return -error;
}

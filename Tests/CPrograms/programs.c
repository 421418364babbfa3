// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CPrograms.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

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

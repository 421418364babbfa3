// SPDX-License-Identifier: Apache-2.0
// cost SECONDS COMMAND...: runs the command, waits for it and all its descendants, and prints their cost:
// wall and CPU microseconds, the peak memory of the largest process in KiB, the exit code.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t first;

static void late(int number) {
  (void)number;
  kill(-first, SIGKILL);
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int main(int count, char **words) {
  if (count < 3) return 64;
  // Orphaned descendants become children of this process, so that their cost is counted.
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  long start = now(), wall = 0;
  first = fork();
  if (first == 0) {
    setpgid(0, 0);
    execvp(words[2], words + 2);
    _exit(127);
  }
  setpgid(first, first);
  struct sigaction action = {.sa_handler = late, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  alarm(atoi(words[1]));
  int status, code = 1;
  pid_t ended;
  while ((ended = wait(&status)) > 0) {
    if (ended != first) continue;
    wall = now() - start;
    code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  struct rusage all;
  getrusage(RUSAGE_CHILDREN, &all);
  long cpu = (all.ru_utime.tv_sec + all.ru_stime.tv_sec) * 1000000L + all.ru_utime.tv_usec +
             all.ru_stime.tv_usec;
  fprintf(stdout, "%ld %ld %ld %d\n", wall, cpu, all.ru_maxrss, code);
  return 0;
}

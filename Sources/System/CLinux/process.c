// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

_Static_assert(sizeof(struct dr_watch) == sizeof(struct pollfd), "dr_watch is a pollfd");
_Static_assert(DR_READABLE == POLLIN && DR_PRIORITY == POLLPRI && DR_WRITABLE == POLLOUT &&
                   DR_ERROR == POLLERR && DR_HANGUP == POLLHUP && DR_PEER_GONE == POLLRDHUP,
               "the bits are poll's");

int dr_poll(struct dr_watch *watches, uint64_t count, int64_t milliseconds) {
  int limit = milliseconds < 0 ? -1 : milliseconds > 86400000 ? 86400000 : (int)milliseconds;
  return answer(poll((struct pollfd *)watches, count, limit));
}

int dr_event(void) { return answer(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int dr_places(uint32_t count) { return answer(eventfd(count, EFD_CLOEXEC | EFD_SEMAPHORE)); }

int dr_place_take(int places) {
  uint64_t one;
  while (read(places, &one, sizeof one) < 0)
    if (errno != EINTR) return -errno;
  return 0;
}

int dr_event_ring(int event) {
  uint64_t one = 1;
  return answer((int)write(event, &one, sizeof one));
}

int dr_event_clear(int event) {
  uint64_t count;
  return answer((int)read(event, &count, sizeof count));
}

uint64_t dr_wall_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t dr_boot_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int dr_boot_timer(void) {
  return answer(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
}

int dr_boot_timer_set(int timer, uint64_t at) {
  struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at / 1000000000),
                                         .tv_nsec = (long)(at % 1000000000)}};
  return answer(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL));
}

int dr_inotify(void) { return answer(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)); }

int dr_inotify_watch(int inotify, const char *path) {
  // All events after which a file may be new, complete or readable. ATTRIB: `install` and `chmod` change the
  // mode last. SELF events: the folder itself was removed or moved. Not MODIFY: a write completes no file,
  // and would ring for each block of a slow copy.
  return answer(inotify_add_watch(
      inotify, path,
      IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
          IN_ONLYDIR | IN_EXCL_UNLINK));
}

int64_t dr_read(int file, void *bytes, uint64_t count) {
  ssize_t n = read(file, bytes, count);
  return n < 0 ? -errno : n;
}

int64_t dr_write(int file, const void *bytes, uint64_t count) {
  ssize_t n = write(file, bytes, count);
  return n < 0 ? -errno : n;
}

static sigset_t set_of(const int *signals, uint64_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (uint64_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  return set;
}

int dr_signals_block(const int *signals, uint64_t count) {
  sigset_t set = set_of(signals, count);
  return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int dr_signals_file(const int *signals, uint64_t count) {
  sigset_t set = set_of(signals, count);
  return answer(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int dr_signal_next(int file) {
  struct signalfd_siginfo info;
  ssize_t n = read(file, &info, sizeof info);
  if (n < 0) return -errno;
  return n == sizeof info ? (int)info.ssi_signo : 0;
}

int dr_signal_ignore(int number) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  return answer(sigaction(number, &ignore, NULL));
}

int dr_process(void) { return getpid(); }
uint32_t dr_user(void) { return geteuid(); }

// Call it before the first thread: ambient sets belong to threads, and new threads inherit them.
int dr_clear_ambient(void) { return answer(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)); }

int dr_descriptor_limit_raise(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  limit.rlim_cur = limit.rlim_max > 65536 ? 65536 : limit.rlim_max;
  return answer(setrlimit(RLIMIT_NOFILE, &limit));
}

int64_t dr_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return 1024;
  return limit.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_cur;
}

int64_t dr_resident_bytes(void) {
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return -errno;
  long long total = 0, resident = 0;
  int fields = fscanf(file, "%lld %lld", &total, &resident);
  fclose(file);
  return fields == 2 ? resident * sysconf(_SC_PAGESIZE) : -EIO;
}

int dr_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) < 0) return -errno;
  return CPU_COUNT(&set);
}

void dr_exit(int code) { _exit(code); }
void dr_end_with_dump(void) { abort(); }

void dr_memory_one_arena(void) { mallopt(M_ARENA_MAX, 1); }
void dr_memory_return(void) { malloc_trim(0); }

int dr_is_terminal(int file) { return isatty(file); }

int64_t dr_random(void *bytes, uint64_t count) {
  ssize_t n = getrandom(bytes, count, 0);
  return n < 0 ? -errno : n;
}

struct start {
  void (*body)(void *);
  void *context;
  char name[16];
};

static void *run(void *raw) {
  struct start start = *(struct start *)raw;
  free(raw);
  prctl(PR_SET_NAME, start.name);
  start.body(start.context);
  return NULL;
}

int dr_thread_start(const char *name, void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (!start) return -ENOMEM;
  *start = (struct start){.body = body, .context = context};
  strncpy(start->name, name, sizeof start->name - 1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run, start);
  pthread_attr_destroy(&attributes);
  if (error) free(start);
  return -error;
}

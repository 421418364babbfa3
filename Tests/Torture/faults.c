// SPDX-License-Identifier: Apache-2.0
// faults.so, preloaded into darkroomd by calls.py: counts the calls of the C library that can fail, by call
// site, and makes one of them fail. It shares a board, the file FAULT_BOARD, with the campaign, which sets
// the fault before the start and heals it while the daemon runs.
//
// A site is a function, what it is called for (its kind: the sort of descriptor or the use of the file), and
// the innermost frames of the caller. Swift code keeps frame pointers; for other libraries the unwinder is
// asked.
//
// Calls that the C library makes internally (in getaddrinfo, fopen or posix_spawn, for example) do not come by
// here; the functions that need them do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SITES = 4096, FRAMES = 12, WORD = 16, SHORT = 10000, MODULES = 128 };
enum { NONE, ONCE, SITE_HELD, FUNCTION_HELD };

// calls.py knows this layout.
struct site {
  _Atomic uint64_t key;
  _Atomic uint64_t calls;
  char function[WORD], kind[WORD];
  uint64_t frames[FRAMES];
};

struct board {
  char function[WORD], kind[WORD];
  uint64_t key, nth;
  uint32_t mode;
  int32_t error;
  _Atomic uint32_t is_healed;
  uint32_t unused;
  _Atomic uint64_t failed;
  struct site sites[SITES];
};

struct module {
  uint64_t base, start, end;
};

static struct board *board;
static long (*raw)(long, ...);  // the real syscall: this library has its own
static struct module modules[MODULES];
static int module_count;

#define OWN __thread __attribute__((tls_model("initial-exec")))
static OWN int inside;
static OWN uint64_t stack_low, stack_high;

static int note_module(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)size, (void)unused;
  if (module_count == MODULES) return 1;
  struct module *module = &modules[module_count++];
  *module = (struct module){.base = info->dlpi_addr, .start = UINT64_MAX};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    uint64_t start = info->dlpi_addr + part->p_vaddr;
    if (start < module->start) module->start = start;
    if (start + part->p_memsz > module->end) module->end = start + part->p_memsz;
  }
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULT_BOARD");
  if (!path) return;
  raw = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  int file = (int)raw(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *bytes = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  raw(SYS_close, file);
  if (bytes == MAP_FAILED) return;
  void *frame;
  backtrace(&frame, 1);  // The first call loads the unwinder.
  dl_iterate_phdr(note_module, NULL);
  board = bytes;
}

// The place of an address: the number of its module and the offset there; 0 for an address outside code.
static uint64_t place_of(uint64_t address) {
  for (int i = 0; i < module_count; i++)
    if (address >= modules[i].start && address < modules[i].end)
      return (uint64_t)(i + 1) << 48 | (address - modules[i].base);
  return 0;
}

static int is_of_program(uint64_t place) { return place >> 48 == 1; }

static void find_stack(void) {
  pthread_attr_t attributes;
  stack_high = stack_low = 1;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  void *low;
  size_t size;
  if (!pthread_attr_getstack(&attributes, &low, &size)) {
    stack_low = (uint64_t)low;
    stack_high = stack_low + size;
  }
  pthread_attr_destroy(&attributes);
}

// The frames by their pointers. Bit 60 marks the frames of asynchronous Swift functions.
static int walk(uint64_t frame, uint64_t *places) {
  int count = 0;
  if (!stack_high) find_stack();
  while (count < FRAMES && frame % 8 == 0 && frame >= stack_low && frame + 16 <= stack_high) {
    const uint64_t *pair = (const uint64_t *)frame;
    uint64_t next = pair[0] & ~(1ull << 60), place = place_of(pair[1]);
    if (!place) break;
    places[count++] = place;
    if (next <= frame) break;
    frame = next;
  }
  return count;
}

static int unwind(uint64_t caller, uint64_t *places) {
  void *found[FRAMES + 8];
  int total = backtrace(found, FRAMES + 8), first = 0, count = 0;
  while (first < total && (uint64_t)found[first] != caller) first++;
  for (int i = first; i < total && count < FRAMES; i++) {
    uint64_t place = place_of((uint64_t)found[i]);
    if (!place) break;
    places[count++] = place;
  }
  return count;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

static uint64_t mix_word(uint64_t hash, const char *word) {
  while (*word) hash = mix(hash, (unsigned char)*word++);
  return mix(hash, 256);
}

// The site's place on the board; a new one is entered. Returns NULL if the board is full.
static struct site *enter(uint64_t key, const char *function, const char *kind, const uint64_t *places,
                          int count) {
  for (uint64_t i = 0; i < SITES; i++) {
    struct site *site = &board->sites[(key + i) % SITES];
    uint64_t empty = 0;
    if (atomic_compare_exchange_strong(&site->key, &empty, key)) {
      strncpy(site->function, function, WORD - 1);
      strncpy(site->kind, kind, WORD - 1);
      memcpy(site->frames, places, sizeof(uint64_t) * (size_t)count);
      return site;
    }
    if (empty == key) return site;
  }
  return NULL;
}

// Returns 0, or the number of the error that this call is to have. Keeps errno.
static int fault_at(const char *function, const char *kind, void *caller, void *frame) {
  uint64_t places[FRAMES] = {0};
  int count = is_of_program(place_of((uint64_t)caller)) ? walk((uint64_t)frame, places)
                                                        : unwind((uint64_t)caller, places);
  uint64_t key = mix_word(mix_word(1, function), kind);
  for (int i = 0; i < count; i++) key = mix(key, places[i]);
  struct site *site = enter(key, function, kind, places, count);
  if (!site) return 0;
  uint64_t number = atomic_fetch_add(&site->calls, 1) + 1;
  if (board->mode == NONE || atomic_load(&board->is_healed)) return 0;
  int is_here = key == board->key;
  int hits = is_here && (board->mode == ONCE ? number == board->nth : number >= board->nth);
  // All sites of the function fail once the one has failed.
  if (!hits && board->mode == FUNCTION_HELD && atomic_load(&board->failed))
    hits = !strcmp(function, board->function) && !strcmp(kind, board->kind);
  if (!hits) return 0;
  atomic_fetch_add(&board->failed, 1);
  return board->error;
}

static int fault(const char *function, const char *kind, void *caller, void *frame) {
  if (!board || inside) return 0;
  int before = errno;
  inside = 1;
  int error = fault_at(function, kind, caller, frame);
  inside = 0;
  errno = before;
  return error;
}

// Kinds.

static const char *kind_of_socket(int file) {
  int domain = 0, type = 0;
  socklen_t size = sizeof domain;
  raw(SYS_getsockopt, file, SOL_SOCKET, SO_DOMAIN, &domain, &size);
  size = sizeof type;
  raw(SYS_getsockopt, file, SOL_SOCKET, SO_TYPE, &type, &size);
  if (domain != AF_UNIX) return "network";
  return type == SOCK_SEQPACKET ? "worker" : type == SOCK_DGRAM ? "datagram" : "control";
}

static const char *kind_of_anonymous(int file) {
  static const char *const kinds[] = {"event", "timer", "inotify", "signal", "poll", "pid"};
  char path[32], text[64] = "";
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  raw(SYS_readlink, path, text, sizeof text - 1);
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(text, kinds[i])) return kinds[i];
  return "other";
}

static const char *kind_of(int file) {
  if (!board || inside) return "";
  if (file == 1 || file == 2) return "messages";
  struct stat status;
  int before = errno;
  const char *kind = "other";
  if (raw(SYS_fstat, file, &status) == 0) {
    mode_t form = status.st_mode & S_IFMT;
    if (form == S_IFREG) kind = "file";
    else if (form == S_IFDIR) kind = "folder";
    else if (form == S_IFIFO) kind = "pipe";
    else if (form == S_IFSOCK) kind = kind_of_socket(file);
    else if (form == 0) kind = kind_of_anonymous(file);
  }
  errno = before;
  return kind;
}

static const char *kind_of_opening(int flags) {
  if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) return "create";
  if (flags & O_DIRECTORY) return "folder";
  return (flags & O_ACCMODE) == O_RDONLY ? "read" : "write";
}

static const char *kind_of_family(int family) { return family == AF_UNIX ? "unix" : "network"; }

// The functions. A fault returns -1 with errno, as Linux does; SHORT is half of the bytes.

#define REAL(type, name, parameters) \
  static type(*real) parameters;     \
  if (!real) real = (type(*) parameters)dlsym(RTLD_NEXT, #name)
#define FAULT(name, kind) fault(#name, kind, __builtin_return_address(0), __builtin_frame_address(0))

#define CALL(type, name, kind, parameters, arguments) \
  type name parameters {                              \
    REAL(type, name, parameters);                     \
    int error = FAULT(name, kind);                    \
    if (error) {                                      \
      errno = error;                                  \
      return (type)-1;                                \
    }                                                 \
    return real arguments;                            \
  }

#define TRANSFER(type, name, file, count, parameters, arguments) \
  type name parameters {                                         \
    REAL(type, name, parameters);                                \
    int error = FAULT(name, kind_of(file));                      \
    if (error && error != SHORT) {                               \
      errno = error;                                             \
      return -1;                                                 \
    }                                                            \
    if (error == SHORT && count > 1) count /= 2;                 \
    return real arguments;                                       \
  }

TRANSFER(ssize_t, read, file, n, (int file, void *to, size_t n), (file, to, n))
TRANSFER(ssize_t, write, file, n, (int file, const void *from, size_t n), (file, from, n))
TRANSFER(ssize_t, pread, file, n, (int file, void *to, size_t n, off_t at), (file, to, n, at))
TRANSFER(ssize_t, pwrite, file, n, (int file, const void *from, size_t n, off_t at), (file, from, n, at))
TRANSFER(ssize_t, recv, file, n, (int file, void *to, size_t n, int flags), (file, to, n, flags))
TRANSFER(ssize_t, send, file, n, (int file, const void *from, size_t n, int flags), (file, from, n, flags))
TRANSFER(ssize_t, recvfrom, file, n,
         (int file, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size),
         (file, to, n, flags, from, size))
TRANSFER(ssize_t, sendto, file, n,
         (int file, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t size),
         (file, from, n, flags, to, size))
CALL(ssize_t, recvmsg, kind_of(file), (int file, struct msghdr *message, int flags), (file, message, flags))
CALL(ssize_t, sendmsg, kind_of(file), (int file, const struct msghdr *message, int flags),
     (file, message, flags))

CALL(int, fdatasync, kind_of(file), (int file), (file))
CALL(int, fsync, kind_of(file), (int file), (file))
CALL(int, syncfs, kind_of(file), (int file), (file))
CALL(int, sync_file_range, kind_of(file), (int file, off64_t at, off64_t n, unsigned flags),
     (file, at, n, flags))
CALL(int, ftruncate, kind_of(file), (int file, off_t n), (file, n))
CALL(int, fallocate, kind_of(file), (int file, int mode, off_t at, off_t n), (file, mode, at, n))
CALL(int, fchmod, kind_of(file), (int file, mode_t mode), (file, mode))
CALL(int, fstat, kind_of(file), (int file, struct stat *out), (file, out))
CALL(int, fstatfs, kind_of(file), (int file, struct statfs *out), (file, out))
CALL(int, fstatvfs, kind_of(file), (int file, struct statvfs *out), (file, out))
CALL(int, statvfs, "", (const char *path, struct statvfs *out), (path, out))

CALL(int, renameat, "", (int a, const char *from, int b, const char *to), (a, from, b, to))
CALL(int, renameat2, "", (int a, const char *from, int b, const char *to, unsigned flags),
     (a, from, b, to, flags))
CALL(int, rename, "", (const char *from, const char *to), (from, to))
CALL(int, linkat, flags & AT_SYMLINK_FOLLOW ? "unnamed" : "",
     (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
CALL(int, unlinkat, flags & AT_REMOVEDIR ? "folder" : "file", (int a, const char *name, int flags),
     (a, name, flags))
CALL(int, unlink, "", (const char *path), (path))
CALL(int, mkdirat, "", (int a, const char *name, mode_t mode), (a, name, mode))
CALL(int, mkdir, "", (const char *path, mode_t mode), (path, mode))
CALL(int, chmod, "", (const char *path, mode_t mode), (path, mode))
CALL(int, fchmodat, "", (int a, const char *name, mode_t mode, int flags), (a, name, mode, flags))
CALL(int, fstatat, "", (int a, const char *name, struct stat *out, int flags), (a, name, out, flags))
CALL(int, lstat, "", (const char *path, struct stat *out), (path, out))
CALL(int, stat, "", (const char *path, struct stat *out), (path, out))
CALL(int, statx, "", (int a, const char *name, int flags, unsigned mask, struct statx *out),
     (a, name, flags, mask, out))
CALL(int, faccessat, "", (int a, const char *name, int mode, int flags), (a, name, mode, flags))
CALL(int, access, "", (const char *path, int mode), (path, mode))
CALL(ssize_t, readlink, "", (const char *path, char *to, size_t n), (path, to, n))
CALL(int, chdir, "", (const char *path), (path))
CALL(ssize_t, getrandom, "", (void *to, size_t n, unsigned flags), (to, n, flags))

CALL(int, socket, kind_of_family(family), (int family, int type, int protocol), (family, type, protocol))
CALL(int, socketpair, "", (int family, int type, int protocol, int pair[2]), (family, type, protocol, pair))
CALL(int, accept4, kind_of(file), (int file, struct sockaddr *from, socklen_t *size, int flags),
     (file, from, size, flags))
CALL(int, accept, kind_of(file), (int file, struct sockaddr *from, socklen_t *size), (file, from, size))
CALL(int, connect, kind_of(file), (int file, const struct sockaddr *to, socklen_t size), (file, to, size))
CALL(int, bind, kind_of(file), (int file, const struct sockaddr *to, socklen_t size), (file, to, size))
CALL(int, listen, kind_of(file), (int file, int backlog), (file, backlog))
CALL(int, getsockopt, kind_of(file), (int file, int level, int option, void *out, socklen_t *size),
     (file, level, option, out, size))
CALL(int, setsockopt, kind_of(file), (int file, int level, int option, const void *value, socklen_t size),
     (file, level, option, value, size))
CALL(int, getsockname, kind_of(file), (int file, struct sockaddr *out, socklen_t *size), (file, out, size))
CALL(int, getpeername, kind_of(file), (int file, struct sockaddr *out, socklen_t *size), (file, out, size))

CALL(int, pipe2, "", (int ends[2], int flags), (ends, flags))
CALL(int, pipe, "", (int ends[2]), (ends))
CALL(int, dup, kind_of(file), (int file), (file))
CALL(int, dup2, kind_of(file), (int file, int other), (file, other))
CALL(int, memfd_create, "", (const char *name, unsigned flags), (name, flags))
CALL(int, eventfd, "", (unsigned value, int flags), (value, flags))
CALL(int, timerfd_create, "", (int clock, int flags), (clock, flags))
CALL(int, signalfd, "", (int file, const sigset_t *set, int flags), (file, set, flags))
CALL(int, epoll_create1, "", (int flags), (flags))
CALL(int, epoll_ctl, "", (int file, int what, int other, struct epoll_event *event),
     (file, what, other, event))
CALL(int, epoll_wait, "", (int file, struct epoll_event *events, int most, int limit),
     (file, events, most, limit))
CALL(int, inotify_init1, "", (int flags), (flags))
CALL(int, inotify_add_watch, "", (int file, const char *path, uint32_t mask), (file, path, mask))
CALL(int, poll, "", (struct pollfd *files, nfds_t n, int limit), (files, n, limit))
CALL(int, ppoll, "", (struct pollfd *files, nfds_t n, const struct timespec *limit, const sigset_t *set),
     (files, n, limit, set))
CALL(void *, mmap, file < 0 ? "memory" : "file",
     (void *at, size_t n, int protection, int flags, int file, off_t offset),
     (at, n, protection, flags, file, offset))
CALL(pid_t, fork, "", (void), ())

// Those that return the number of the error.

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *context) {
  REAL(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
  int error = FAULT(pthread_create, "");
  return error ? error : real(thread, attributes, body, context);
}

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const words[], char *const environment[]) {
  REAL(int, posix_spawn,
       (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
        char *const[]));
  int error = FAULT(posix_spawn, "");
  return error ? error : real(process, path, actions, attributes, words, environment);
}

// A descriptor is closed even if close fails.
int close(int file) {
  REAL(int, close, (int));
  int error = FAULT(close, kind_of(file));
  if (!error) return real(file);
  real(file);
  errno = error;
  return -1;
}

FILE *fopen(const char *path, const char *mode) {
  REAL(FILE *, fopen, (const char *, const char *));
  int error = FAULT(fopen, "");
  if (!error) return real(path, mode);
  errno = error;
  return NULL;
}

// Those with a changing number of arguments.

int openat(int folder, const char *path, int flags, ...) {
  REAL(int, openat, (int, const char *, int, ...));
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  int error = FAULT(openat, kind_of_opening(flags));
  if (!error) return real(folder, path, flags, mode);
  errno = error;
  return -1;
}

int open(const char *path, int flags, ...) {
  REAL(int, open, (const char *, int, ...));
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  int error = FAULT(open, kind_of_opening(flags));
  if (!error) return real(path, flags, mode);
  errno = error;
  return -1;
}

static const char *kind_of_control(int command) {
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: return "dup";
    case F_SETLEASE: return "lease";
    case F_GETLEASE: return "has-lease";
    case F_OFD_SETLK:
    case F_SETLK: return "lock";
    case F_ADD_SEALS: return "seal";
    default: return "flags";
  }
}

int fcntl(int file, int command, ...) {
  REAL(int, fcntl, (int, int, ...));
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  int error = FAULT(fcntl, kind_of_control(command));
  if (!error) return real(file, command, argument);
  errno = error;
  return -1;
}

// The numbers that darkroomd calls; the Swift runtime's futex passes.
long syscall(long number, ...) {
  REAL(long, syscall, (long, ...));
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
       e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  int error = 0;
  if (inside || !board) {
  } else if (number == SYS_fstat) {
    error = FAULT(fstat, kind_of((int)a));
  } else if (number == SYS_getdents64) {
    error = FAULT(getdents64, "");
  } else if (number == SYS_pidfd_open) {
    error = FAULT(pidfd_open, "");
  }
  if (!error) return real(number, a, b, c, d, e, f);
  errno = error;
  return -1;
}

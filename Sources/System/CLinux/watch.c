// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int dr_inotify_watch_names(int inotify, const char *path) {
  return answer(inotify_add_watch(
      inotify, path,
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD));
}

int dr_inotify_watch_inside(int inotify, const char *path) {
  return answer(inotify_add_watch(
      inotify, path,
      IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB | IN_MOVE_SELF | IN_ONLYDIR |
          IN_DONT_FOLLOW | IN_EXCL_UNLINK | IN_MASK_ADD));
}

int dr_inotify_watch_self(int inotify, const char *path, int follows) {
  return answer(inotify_add_watch(
      inotify, path,
      IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD |
          (follows ? 0 : IN_DONT_FOLLOW)));
}

int dr_inotify_forget(int inotify, int watch) { return answer(inotify_rm_watch(inotify, watch)); }

int64_t dr_file_system(int folder) {
  struct statfs facts;
  if (fstatfs(folder, &facts) < 0) return -errno;
  return (int64_t)((uint64_t)facts.f_type & 0xFFFFFFFFu);
}

static int is_mount_root(const struct statx *facts) {
  return (facts->stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 &&
         (facts->stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int dr_is_mount_point(int folder) {
  struct statx facts;
  return statx(folder, "", AT_EMPTY_PATH, 0, &facts) == 0 && is_mount_root(&facts);
}

int dr_is_other_file_system(int folder, const char *name) {
  const int asks = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  struct statx own, facts;
  if (statx(folder, name, asks, 0, &facts) < 0 || !is_mount_root(&facts)) return 0;
  if (statx(folder, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &own) < 0) return 0;
  return own.stx_dev_major != facts.stx_dev_major || own.stx_dev_minor != facts.stx_dev_minor;
}

int dr_may_change(int folder) { return answer(faccessat(folder, ".", W_OK | X_OK, 0)); }

int dr_begin_sync(int file) {
  return answer(sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE));
}

int dr_check_written(int file) {
  return answer(sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE));
}

static char kind(unsigned char type) {
  switch (type) {
    case DT_REG: return 'f';
    case DT_DIR: return 'd';
    case DT_LNK: return 'l';
    case DT_UNKNOWN: return '?';
    default: return 'o';
  }
}

// getdents64 returns the records of readdir, without a DIR that owns the descriptor. They are compacted in
// place: a record has 19 bytes before the name, so the kind's byte always fits.
int64_t dr_entries(int folder, void *bytes, uint64_t count) {
  long n = syscall(SYS_getdents64, folder, bytes, count);
  if (n <= 0) return n < 0 ? -errno : 0;
  char *from = bytes, *end = from + n, *to = bytes;
  while (from < end) {
    struct dirent64 *entry = (struct dirent64 *)from;
    char *next = from + entry->d_reclen;
    char type = kind(entry->d_type);
    size_t length = strlen(entry->d_name) + 1;
    memmove(to + 1, entry->d_name, length);
    *to = type;
    to += length + 1;
    from = next;
  }
  return to - (char *)bytes;
}

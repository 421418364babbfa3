// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static int answer(int result) { return result < 0 ? -errno : result; }

int dr_open_path(const char *path) {
  return answer(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int dr_open_folder(int folder, const char *name) {
  return answer(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int dr_open_file(int folder, const char *name, int use, uint32_t mode) {
  static const int flags[] = {O_RDONLY, O_RDWR, O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_CREAT};
  // O_NONBLOCK: a FIFO in the inbox must not block us; it means nothing for regular files.
  return answer(
      openat(folder, name, flags[use] | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode));
}

int dr_open_unnamed(int folder, uint32_t mode) {
  return answer(openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
}

int dr_name_file(int file, int folder, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return answer(linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW));
}

int dr_make_folder(int folder, const char *name, uint32_t mode) {
  return answer(mkdirat(folder, name, mode));
}

static void fill(const struct stat *from, struct dr_status *out) {
  out->mode = from->st_mode;
  out->owner = from->st_uid;
  out->device = from->st_dev;
  out->inode = from->st_ino;
  out->links = from->st_nlink;
  out->size = from->st_size < 0 ? 0 : (uint64_t)from->st_size;
  out->modified = (int64_t)from->st_mtim.tv_sec * 1000000000 + from->st_mtim.tv_nsec;
  out->changed = (int64_t)from->st_ctim.tv_sec * 1000000000 + from->st_ctim.tv_nsec;
}

// By number: the C library would call newfstatat, which takes a path and is refused in the worker.
int dr_status(int file, struct dr_status *out) {
  struct stat status;
  if (syscall(SYS_fstat, file, &status) < 0) return -errno;
  fill(&status, out);
  return 0;
}

int64_t dr_birth(int file) {
  struct statx status;
  if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &status) < 0) return -errno;
  if (!(status.stx_mask & STATX_BTIME)) return 0;
  return (int64_t)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
}

int dr_status_at(int folder, const char *name, struct dr_status *out) {
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -errno;
  fill(&status, out);
  return 0;
}

int dr_status_path(const char *path, struct dr_status *out) {
  return dr_status_at(AT_FDCWD, path, out);
}

int64_t dr_read_at(int file, void *bytes, uint64_t count, uint64_t offset) {
  ssize_t n = pread(file, bytes, count, (off_t)offset);
  return n < 0 ? -errno : n;
}

int64_t dr_write_at(int file, const void *bytes, uint64_t count, uint64_t offset) {
  ssize_t n = pwrite(file, bytes, count, (off_t)offset);
  return n < 0 ? -errno : n;
}

int64_t dr_next_data(int file, uint64_t offset) {
  off_t place = lseek(file, (off_t)offset, SEEK_DATA);
  return place < 0 ? -errno : place;
}

int64_t dr_next_hole(int file, uint64_t offset) {
  off_t place = lseek(file, (off_t)offset, SEEK_HOLE);
  return place < 0 ? -errno : place;
}

int dr_truncate(int file, uint64_t size) { return answer(ftruncate(file, (off_t)size)); }

int dr_reserve(int file, uint64_t size) {
  return answer(fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)size));
}

int dr_sync_data(int file) { return answer(fdatasync(file)); }
int dr_sync(int file) { return answer(fsync(file)); }
int dr_sync_file_system(int file) { return answer(syncfs(file)); }

int dr_rename(int from, const char *name, int to, const char *new_name) {
  return answer(renameat(from, name, to, new_name));
}

int dr_rename_new(int from, const char *name, int to, const char *new_name) {
  return answer(renameat2(from, name, to, new_name, RENAME_NOREPLACE));
}

int dr_link(int from, const char *name, int to, const char *new_name) {
  return answer(linkat(from, name, to, new_name, 0));
}

int dr_unlink(int folder, const char *name) { return answer(unlinkat(folder, name, 0)); }

int dr_remove_folder(int folder, const char *name) {
  return answer(unlinkat(folder, name, AT_REMOVEDIR));
}

int dr_set_mode(int file, uint32_t mode) { return answer(fchmod(file, mode)); }

int dr_set_mode_at(int folder, const char *name, uint32_t mode) {
  // A link that replaced our file must not redirect the change.
  return answer(fchmodat(folder, name, mode, AT_SYMLINK_NOFOLLOW));
}

int dr_close(int file) { return answer(close(file)); }

int dr_take_read_lease(int file) { return answer(fcntl(file, F_SETLEASE, F_RDLCK)); }
int dr_has_read_lease(int file) {
  int lease = fcntl(file, F_GETLEASE);
  return lease < 0 ? -errno : lease == F_RDLCK;
}
int dr_drop_lease(int file) { return answer(fcntl(file, F_SETLEASE, F_UNLCK)); }

int dr_lock_whole(int file) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return answer(fcntl(file, F_OFD_SETLK, &lock));
}

int dr_is_locked(int file) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_OFD_GETLK, &lock) < 0) return -errno;
  return lock.l_type != F_UNLCK;
}

int dr_unlock_whole(int file) {
  struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
  return answer(fcntl(file, F_OFD_SETLK, &lock));
}

// SPDX-License-Identifier: Apache-2.0
// A folder's file system, permissions, entries and changes, and the early start of writes to the disk.
// Results as in CLinux.h.

#ifndef DARKROOM_WATCH_H
#define DARKROOM_WATCH_H

#include <stdint.h>

// Both add to an existing watch of the folder. The first rings when names appear or disappear, the second
// when the folder itself is moved or removed or its attributes change; ENOTDIR for a link unless `follows`.
int dr_inotify_watch_names(int inotify, const char *path);
int dr_inotify_watch_inside(int inotify, const char *path);
int dr_inotify_watch_self(int inotify, const char *path, int follows);
int dr_inotify_forget(int inotify, int watch);

// The magic number of the file system (statfs).
int64_t dr_file_system(int folder);
// 1 if this folder is a mount point, 0 if it is not or if the kernel does not report it.
int dr_is_mount_point(int folder);
// 1 if another file system than the folder's is mounted over the name. Answers from what the kernel has, even if that
// file system hangs.
int dr_is_other_file_system(int folder, const char *name);
// Fails with EACCES or EROFS if this process may not make and remove names in the folder.
int dr_may_change(int folder);

// Listing: fills `bytes` with entries of one byte (f, d, l, o, or ? if the file system does
// not report the kind), the name and a NUL; 0 at the end.
int64_t dr_entries(int folder, void *bytes, uint64_t count);

// Starts writing the file's dirty pages to the disk and does not wait for them.
int dr_begin_sync(int file);
// Waits for what is being written, and tells an error of writing once for each descriptor.
int dr_check_written(int file);

#endif

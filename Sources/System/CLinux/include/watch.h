// SPDX-License-Identifier: Apache-2.0
// Which file system a folder lies on, whether we may change it, what it holds, and who is on its path;
// and how writing to the disk is begun ahead.

#ifndef DARKROOM_WATCH_H
#define DARKROOM_WATCH_H

#include <stdint.h>

// Both add to what is watched of the folder already. The first rings when names come to it or go, the
// second when the folder itself is moved, removed or allowed or forbidden; ENOTDIR for a link unless
// links are to be followed.
int dr_inotify_watch_names(int inotify, const char *path);
int dr_inotify_watch_self(int inotify, const char *path, int follows);
int dr_inotify_forget(int inotify, int watch);

// The magic number of the file system (statfs).
int64_t dr_file_system(int folder);
// 1 where something is mounted on just this folder, 0 where not or where the kernel cannot tell.
int dr_is_mount_point(int folder);
// Whether names may be made and removed in it: EACCES, EROFS.
int dr_may_change(int folder);

// Listing with kinds: fills `bytes` with entries of one byte (f, d, l, o or ? where the file system
// does not say), the name and a NUL; 0 at the end.
int64_t dr_entries(int folder, void *bytes, uint64_t count);

// Hands what is written to the disk, without waiting for it.
int dr_begin_sync(int file);

#endif

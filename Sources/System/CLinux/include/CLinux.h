// SPDX-License-Identifier: Apache-2.0
// System calls that Swift's importer hides (feature macros, variadic calls, structures). A function that
// can fail returns a value of zero or more, or the negated error number: errno itself need not survive
// the return into Swift.

#ifndef DARKROOM_CLINUX_H
#define DARKROOM_CLINUX_H

#include <stdint.h>

struct dr_status {
  uint32_t mode, owner;
  uint64_t device, inode, size, links;
  int64_t modified, changed;  // nanoseconds since 1970
};

enum { DR_READ, DR_WRITE, DR_CREATE, DR_ENSURE };

// Files and folders
int dr_open_path(const char *path);
int dr_open_folder(int folder, const char *name);
int dr_open_file(int folder, const char *name, int use, uint32_t mode);
int dr_make_folder(int folder, const char *name, uint32_t mode);
int dr_status(int file, struct dr_status *out);
/// The file's creation time, in nanoseconds since 1970; 0 if the file system does not record it.
int64_t dr_birth(int file);
int dr_status_at(int folder, const char *name, struct dr_status *out);
int dr_status_path(const char *path, struct dr_status *out);
int64_t dr_read_at(int file, void *bytes, uint64_t count, uint64_t offset);
int64_t dr_write_at(int file, const void *bytes, uint64_t count, uint64_t offset);
// The first data at or after the offset, and the first hole after it; -ENXIO if there is no more data. The end of a file
// is a hole. Moves the position of the descriptor.
int64_t dr_next_data(int file, uint64_t offset);
int64_t dr_next_hole(int file, uint64_t offset);
int dr_truncate(int file, uint64_t size);
int dr_reserve(int file, uint64_t size);
int dr_sync_data(int file);
int dr_sync(int file);
int dr_sync_file_system(int file);
int dr_rename(int from, const char *name, int to, const char *new_name);
// EEXIST if the new name exists; EINVAL if the file system does not support the check.
int dr_rename_new(int from, const char *name, int to, const char *new_name);
int dr_link(int from, const char *name, int to, const char *new_name);
int dr_unlink(int folder, const char *name);
int dr_remove_folder(int folder, const char *name);
int dr_set_mode(int file, uint32_t mode);
int dr_set_mode_at(int folder, const char *name, uint32_t mode);
// An access control list that lets one user read besides the owner.
int dr_set_reader(int file, uint32_t user);
int dr_set_reader_at(int folder, const char *name, uint32_t user);
// The same with the right to write, or to change the folder.
int dr_set_changer_at(int folder, const char *name, uint32_t user);
// That user, or 1 << 32 if there is none.
int64_t dr_reader(int folder, const char *name);
int dr_close(int file);

// Leases and locks
int dr_take_read_lease(int file);
int dr_has_read_lease(int file);
int dr_drop_lease(int file);
int dr_lock_whole(int file);
/// 1 if another open file has the lock; the file may be open for reading alone.
int dr_is_locked(int file);
/// A file without a name, which disappears unless `dr_name_file` names it. EOPNOTSUPP if the file system
/// does not support such files.
int dr_open_unnamed(int folder, uint32_t mode);
int dr_name_file(int file, int folder, const char *name);
/// Releases the lock even if another process shares the open file, such as a child before it executes.
int dr_unlock_whole(int file);

// Waiting
struct dr_watch {
  int file;
  short events, happened;
};
enum { DR_READABLE = 1, DR_WRITABLE = 4, DR_PRIORITY = 2, DR_ERROR = 8, DR_HANGUP = 16, DR_PEER_GONE = 0x2000 };
int dr_poll(struct dr_watch *watches, uint64_t count, int64_t milliseconds);  // below 0: no limit
int dr_event(void);
int dr_event_ring(int event);
int dr_event_clear(int event);
// A counter of free places: a take waits for one, dr_event_ring gives one back.
int dr_places(uint32_t count);
int dr_place_take(int places);
uint64_t dr_wall_milliseconds(void);
uint64_t dr_boot_nanoseconds(void);
int dr_boot_timer(void);
int dr_boot_timer_set(int timer, uint64_t nanoseconds_since_boot);  // 0 disarms

// The inbox's doorbell
int dr_inotify(void);
int dr_inotify_watch(int inotify, const char *path);
int64_t dr_read(int file, void *bytes, uint64_t count);
int64_t dr_write(int file, const void *bytes, uint64_t count);

// Signals
int dr_signals_block(const int *signals, uint64_t count);
int dr_signals_file(const int *signals, uint64_t count);
int dr_signal_next(int file);
int dr_signal_ignore(int signal);

// This process
int dr_process(void);
uint32_t dr_user(void);
int dr_clear_ambient(void);
int dr_descriptor_limit_raise(void);
int64_t dr_descriptor_limit(void);
int64_t dr_resident_bytes(void);
int dr_processors(void);
void dr_exit(int code) __attribute__((noreturn));
void dr_end_with_dump(void) __attribute__((noreturn));
void dr_memory_one_arena(void);
void dr_memory_return(void);
int dr_is_terminal(int file);
int64_t dr_random(void *bytes, uint64_t count);
int dr_thread_start(const char *name, void (*body)(void *), void *context);

#endif

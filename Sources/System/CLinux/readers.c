// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char list_name[] = "system.posix_acl_access";

// The kernel's form of an access control list, in little endian; the entries in the order of their tags.
struct list {
  struct posix_acl_xattr_header head;
  struct posix_acl_xattr_entry entries[5];
} __attribute__((packed));

static struct posix_acl_xattr_entry entry(uint16_t tag, uint16_t rights, uint32_t user) {
  struct posix_acl_xattr_entry entry = {htole16(tag), htole16(rights), htole32(user)};
  return entry;
}

static int open_entry(int folder, const char *name) {
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return file < 0 ? -errno : file;
}

static int end(int file, int result) {
  int error = errno;
  close(file);
  return result < 0 ? -error : 0;
}

// `change`: ACL_WRITE, or 0 for a user who reads alone.
static int admit(int file, uint32_t user, uint16_t change) {
  struct stat status;
  if (fstat(file, &status) < 0) return -errno;
  uint16_t enter = S_ISDIR(status.st_mode) ? ACL_EXECUTE : 0;
  uint16_t rights = ACL_READ | change | enter;
  uint32_t none = (uint32_t)ACL_UNDEFINED_ID;
  struct list list = {
      {htole32(POSIX_ACL_XATTR_VERSION)},
      {entry(ACL_USER_OBJ, ACL_READ | ACL_WRITE | enter, none), entry(ACL_USER, rights, user),
       entry(ACL_GROUP_OBJ, 0, none), entry(ACL_MASK, rights, none), entry(ACL_OTHER, 0, none)}};
  return fsetxattr(file, list_name, &list, sizeof list, 0) < 0 ? -errno : 0;
}

int dr_set_reader(int file, uint32_t user) { return admit(file, user, 0); }

int dr_set_changer_at(int folder, const char *name, uint32_t user) {
  int file = open_entry(folder, name);
  if (file < 0) return file;
  int result = admit(file, user, ACL_WRITE);
  close(file);
  return result;
}

int dr_set_reader_at(int folder, const char *name, uint32_t user) {
  int file = open_entry(folder, name);
  if (file < 0) return file;
  int result = dr_set_reader(file, user);
  close(file);
  return result;
}

int64_t dr_reader(int folder, const char *name) {
  int file = open_entry(folder, name);
  if (file < 0) return file;
  // A list that an administrator wrote may be longer; it names a user of ours, or none.
  struct posix_acl_xattr_entry entries[64];
  char bytes[sizeof(struct posix_acl_xattr_header) + sizeof entries];
  ssize_t size = fgetxattr(file, list_name, bytes, sizeof bytes);
  int error = end(file, size < 0 ? -1 : 0);
  int64_t nobody = (int64_t)1 << 32;
  if (error == -ENODATA || error == -ERANGE) return nobody;
  if (error < 0) return error;
  size_t at = sizeof(struct posix_acl_xattr_header);
  for (; at + sizeof(struct posix_acl_xattr_entry) <= (size_t)size;
       at += sizeof(struct posix_acl_xattr_entry)) {
    struct posix_acl_xattr_entry found;
    __builtin_memcpy(&found, bytes + at, sizeof found);
    if (le16toh(found.e_tag) == ACL_USER) return le32toh(found.e_id);
  }
  return nobody;
}

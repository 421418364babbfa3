// SPDX-License-Identifier: Apache-2.0
// A disk that logs every write and every flush, for power cuts: a FUSE file system with the one file `disk`,
// under a loop device. Speaks to /dev/fuse itself and needs no library.
//
//     logdisk BACKING LOG FOLDER       mounts on FOLDER, prints a line, serves until it is unmounted
//
// Four bytes on standard input are a mark, a number that goes to the log: all writes before it are in the log.
// A record of the log: type (1 write, 2 flush, 3 mark), length or mark, offset; then the bytes of a write.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, FLUSH = 2, MARK = 3, DISK_NODE = 2, MOST = 1 << 20 };

struct record {
  uint32_t type, length;
  uint64_t offset;
};

static int disk, device;
static FILE *records;
static uint64_t size;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void note(uint32_t type, uint32_t length, uint64_t offset, const void *bytes) {
  struct record record = {type, length, offset};
  if (fwrite(&record, sizeof record, 1, records) != 1) fail("log");
  if (bytes && fwrite(bytes, 1, length, records) != length) fail("log");
}

static void reply(uint64_t unique, int error, const void *bytes, size_t length) {
  struct fuse_out_header header = {sizeof header + length, -error, unique};
  struct iovec parts[2] = {{&header, sizeof header}, {(void *)bytes, length}};
  // ENOENT: the caller was interrupted and waits no longer.
  if (writev(device, parts, length ? 2 : 1) < 0 && errno != ENOENT) fail("reply");
}

static struct fuse_attr attributes(uint64_t node) {
  struct fuse_attr attr = {.ino = node, .nlink = 1, .blksize = 4096};
  attr.mode = node == DISK_NODE ? S_IFREG | 0600 : S_IFDIR | 0700;
  attr.size = node == DISK_NODE ? size : 0;
  attr.blocks = attr.size / 512;
  return attr;
}

static void begin(uint64_t unique, const struct fuse_init_in *in) {
  struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_readahead = in->max_readahead};
  out.flags = in->flags & (FUSE_BIG_WRITES | FUSE_MAX_PAGES | FUSE_ASYNC_READ);
  out.max_background = 16;
  out.max_write = MOST;
  out.max_pages = MOST / 4096;
  reply(unique, 0, &out, sizeof out);
}

static void answer(const struct fuse_in_header *in, const void *body) {
  static char bytes[MOST];
  switch (in->opcode) {
  case FUSE_INIT: return begin(in->unique, body);
  case FUSE_LOOKUP: {
    if (strcmp(body, "disk")) return reply(in->unique, ENOENT, NULL, 0);
    struct fuse_entry_out out = {.nodeid = DISK_NODE, .entry_valid = 3600, .attr_valid = 3600};
    out.attr = attributes(DISK_NODE);
    return reply(in->unique, 0, &out, sizeof out);
  }
  case FUSE_GETATTR:
  case FUSE_SETATTR: {
    struct fuse_attr_out out = {.attr_valid = 3600, .attr = attributes(in->nodeid)};
    return reply(in->unique, 0, &out, sizeof out);
  }
  case FUSE_OPEN: {
    struct fuse_open_out out = {0};
    return reply(in->unique, 0, &out, sizeof out);
  }
  case FUSE_READ: {
    const struct fuse_read_in *read = body;
    ssize_t count = pread(disk, bytes, read->size < MOST ? read->size : MOST, read->offset);
    return count < 0 ? reply(in->unique, errno, NULL, 0) : reply(in->unique, 0, bytes, count);
  }
  case FUSE_WRITE: {
    const struct fuse_write_in *write = body;
    if (pwrite(disk, write + 1, write->size, write->offset) != (ssize_t)write->size) fail("backing file");
    note(WRITE, write->size, write->offset, write + 1);
    struct fuse_write_out out = {.size = write->size};
    return reply(in->unique, 0, &out, sizeof out);
  }
  case FUSE_FSYNC:
    note(FLUSH, 0, 0, NULL);
    return reply(in->unique, 0, NULL, 0);
  case FUSE_STATFS: {
    struct fuse_statfs_out out = {.st = {.bsize = 4096, .namelen = 255, .frsize = 4096}};
    return reply(in->unique, 0, &out, sizeof out);
  }
  case FUSE_FORGET:
  case FUSE_BATCH_FORGET:
  case FUSE_INTERRUPT: return;
  case FUSE_FLUSH:
  case FUSE_RELEASE:
  case FUSE_DESTROY: return reply(in->unique, 0, NULL, 0);
  default: return reply(in->unique, ENOSYS, NULL, 0);  // no discards: a log of writes is all there is
  }
}

static void serve(void) {
  static union {
    struct fuse_in_header header;
    char bytes[MOST + 8192];
  } request;
  struct pollfd waits[2] = {{.fd = 0, .events = POLLIN}, {.fd = device, .events = POLLIN}};
  while (poll(waits, 2, -1) >= 0 || errno == EINTR) {
    uint32_t mark;
    if (waits[0].revents & POLLIN && read(0, &mark, sizeof mark) == sizeof mark) note(MARK, mark, 0, NULL);
    else if (waits[0].revents) waits[0].fd = -1;
    if (!waits[1].revents) continue;
    ssize_t length = read(device, &request, sizeof request);
    if (length < 0 && errno == ENODEV) return;  // unmounted
    if (length < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT)) continue;
    if (length < (ssize_t)sizeof request.header) fail("/dev/fuse");
    answer(&request.header, &request.header + 1);
  }
}

int main(int count, char **words) {
  if (count != 4) return 2;
  disk = open(words[1], O_RDWR | O_CLOEXEC);
  if (disk < 0) fail(words[1]);
  struct stat status;
  if (fstat(disk, &status)) fail(words[1]);
  size = status.st_size;
  records = fopen(words[2], "we");
  if (!records) fail(words[2]);
  device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (device < 0) fail("/dev/fuse");
  char options[80];
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
  if (mount("logdisk", words[3], "fuse", MS_NOSUID | MS_NODEV, options)) fail("mount");
  puts("ready");
  fflush(stdout);
  serve();
  return fclose(records) ? 1 : 0;
}

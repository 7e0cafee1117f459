// Preloaded into Postgres by the chaos tests: while the file named by FULL_DISK_FLAG exists, no file below base/ can grow, as on a full disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int would_grow(int fd, off_t end) {
  const char *flag = getenv("FULL_DISK_FLAG");
  char link[64], path[4096];
  struct stat about;
  if (flag == NULL || access(flag, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  // The log of transactions is written into segments that are there already.
  if (strstr(path, "/base/") == NULL || fstat(fd, &about) != 0) return 0;
  return end > about.st_size;
}

#define FULL(fd, end) if (would_grow(fd, end)) { errno = ENOSPC; return -1; }

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite");
  FULL(fd, offset + (off_t) count)
  return real(fd, bytes, count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
  FULL(fd, offset + (off_t) count)
  return real(fd, bytes, count, offset);
}

static off_t total(const struct iovec *parts, int count) {
  off_t sum = 0;
  for (int n = 0; n < count; n++) sum += parts[n].iov_len;
  return sum;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  static ssize_t (*real)(int, const struct iovec *, int, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwritev");
  FULL(fd, offset + total(parts, count))
  return real(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  static ssize_t (*real)(int, const struct iovec *, int, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwritev64");
  FULL(fd, offset + total(parts, count))
  return real(fd, parts, count, offset);
}

// Postgres takes the error number from the answer here.
int posix_fallocate(int fd, off_t offset, off_t length) {
  static int (*real)(int, off_t, off_t);
  if (!real) real = dlsym(RTLD_NEXT, "posix_fallocate");
  return would_grow(fd, offset + length) ? ENOSPC : real(fd, offset, length);
}

int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  static int (*real)(int, off64_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "posix_fallocate64");
  return would_grow(fd, offset + length) ? ENOSPC : real(fd, offset, length);
}
